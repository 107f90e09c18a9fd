/**
 * Maps the modules of the OpenID Foundation's relying-party test plans that are not an alias of a fault, each with the reason.
 * Source: openid-certification/conformance-suite, `openid/client`.
 */
export const MODULES_WITHOUT_FAULT: Readonly<Record<string, string>> = {
  ...because('It tests a correct provider: run it without a fault.', [
    'oidcc-client-test',
    'oidcc-client-test-client-secret-basic',
    'oidcc-client-test-discovery-jwks-uri-keys',
    'oidcc-client-test-discovery-openid-config',
    'oidcc-client-test-idtoken-sig-rs256',
    'oidcc-client-test-nonce-unless-code-flow',
    'oidcc-client-test-refresh-token',
    'oidcc-client-test-rp-init-logout',
    'oidcc-client-test-scope-userinfo-claims',
    'oidcc-client-test-userinfo-bearer-body',
    'oidcc-client-test-userinfo-bearer-header',
  ]),
  ...because("It tests a correct provider: register the client with userinfoSignedResponseAlg: 'RS256'.", [
    'oidcc-client-test-userinfo-signed',
  ]),
  ...because('The service has no WebFinger: clients are configured with the issuer.', [
    'oidcc-client-test-discovery-webfinger-acct',
    'oidcc-client-test-discovery-webfinger-url',
  ]),
  ...because('The service has no dynamic registration.', ['oidcc-client-test-dynamic-registration']),
  ...because('The service has only normal claims.', [
    'oidcc-client-test-aggregated-claims',
    'oidcc-client-test-distributed-claims',
  ]),
  ...because('The service does not support request objects, by value or by reference.', [
    'oidcc-client-test-request-uri-signed-none',
    'oidcc-client-test-request-uri-signed-rs256',
  ]),
  ...because('The response modes are query and fragment; authorizationError sends an error in them.', [
    'oidcc-client-test-form-post-error',
  ]),
  ...because('Clients authenticate with a secret, not with a certificate.', [
    'oidcc-client-test-mtls-endpoint-aliases',
  ]),
  ...because('The service does not initiate a login at the client.', ['oidcc-client-test-3rd-party-init-login']),
  ...because('The service does not send logout tokens.', [
    'oidcc-client-test-rp-backchannel-rpinitlogout',
    'oidcc-client-test-rp-backchannel-rpinitlogout-alg-none',
    'oidcc-client-test-rp-backchannel-rpinitlogout-no-event',
    'oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce',
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg',
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud',
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event',
    'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss',
  ]),
  ...because('The service does not load logout pages of clients.', [
    'oidcc-client-test-rp-frontchannel-opinitlogout',
    'oidcc-client-test-rp-frontchannel-rpinitlogout',
  ]),
};

function because(reason: string, modules: readonly string[]): Record<string, string> {
  return Object.fromEntries(modules.map((module) => [module, reason]));
}
