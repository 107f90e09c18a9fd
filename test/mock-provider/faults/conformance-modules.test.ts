import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  FAULTS,
  type FaultAlias,
  type FaultName,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import { root } from '../../architecture/imports.js';

/** Every module of the relying-party plans in openid-certification/conformance-suite, as its sources name them in 2026. */
const MODULES = [
  '',
  '-3rd-party-init-login',
  '-aggregated-claims',
  '-client-secret-basic',
  '-discovery-issuer-mismatch',
  '-discovery-jwks-uri-keys',
  '-discovery-openid-config',
  '-discovery-webfinger-acct',
  '-discovery-webfinger-url',
  '-distributed-claims',
  '-dynamic-registration',
  '-form-post-error',
  '-idtoken-sig-none',
  '-idtoken-sig-rs256',
  '-invalid-athash',
  '-invalid-aud',
  '-invalid-chash',
  '-invalid-iss',
  '-invalid-sig-es256',
  '-invalid-sig-hs256',
  '-invalid-sig-rs256',
  '-kid-absent-multiple-jwks',
  '-kid-absent-single-jwks',
  '-missing-athash',
  '-missing-aud',
  '-missing-chash',
  '-missing-iat',
  '-missing-sub',
  '-mtls-endpoint-aliases',
  '-nonce-invalid',
  '-nonce-unless-code-flow',
  '-refresh-token',
  '-refresh-token-invalid-issuer',
  '-refresh-token-invalid-sub',
  '-request-uri-signed-none',
  '-request-uri-signed-rs256',
  '-rp-backchannel-rpinitlogout',
  '-rp-backchannel-rpinitlogout-alg-none',
  '-rp-backchannel-rpinitlogout-no-event',
  '-rp-backchannel-rpinitlogout-with-nonce',
  '-rp-backchannel-rpinitlogout-wrong-alg',
  '-rp-backchannel-rpinitlogout-wrong-aud',
  '-rp-backchannel-rpinitlogout-wrong-event',
  '-rp-backchannel-rpinitlogout-wrong-iss',
  '-rp-frontchannel-opinitlogout',
  '-rp-frontchannel-rpinitlogout',
  '-rp-init-logout',
  '-rp-init-logout-no-state',
  '-rp-init-logout-other-state',
  '-scope-userinfo-claims',
  '-session-management',
  '-signing-key-rotation',
  '-signing-key-rotation-just-before-signing',
  '-userinfo-bearer-body',
  '-userinfo-bearer-header',
  '-userinfo-invalid-sub',
  '-userinfo-signed',
].map((suffix) => `oidcc-client-test${suffix}`);

const aliases = Object.values(FAULTS).flatMap((fault) => fault.aliases);
const faultModules = aliases.filter((alias) => alias.startsWith('oidcc-'));

/** The rows of the table in docs/assurance/faults.md, as `[reason, modules]`. */
const withoutFault = [
  ...readFileSync(join(root, 'docs/assurance/faults.md'), 'utf8').matchAll(
    /^\| ([^|]+) \| ((?:`oidcc-client-test[\w-]*`(?:, )?)+) \|$/gm,
  ),
].map(([, reason = '', modules = '']) => [reason, modules.match(/oidcc[\w-]+/g) ?? []] as const);

test('each module of the OpenID Foundation is the alias of a fault or has a reason in docs/assurance/faults.md', () => {
  expect([...faultModules, ...withoutFault.flatMap(([, modules]) => modules)].sort()).toEqual([...MODULES].sort());
  for (const [reason] of withoutFault) expect(reason).toMatch(/^[A-Z].+\.$/);
});

test('each module that is an alias has its short name as an alias', () => {
  for (const module of faultModules) expect(aliases).toContain(module.slice('oidcc-client-test-'.length));
});

test('each alias queues its fault', async () => {
  const provider = await startMockProvider();
  for (const [name, { aliases }] of Object.entries(FAULTS)) {
    for (const alias of aliases) {
      provider.faults.next(alias);
      expect([alias, provider.faults.queued[0]?.name]).toEqual([alias, name]);
      provider.faults.clear();
    }
  }
  await provider.stop();
});

test('the types accept only known names of faults, aliases and options, and any name of a clinician', async () => {
  const provider = await startMockProvider();
  const isClosed: string extends FaultName | FaultAlias ? false : true = true;
  expect(isClosed).toBe(true);
  const alias: FaultAlias = 'oidcc-client-test-kid-absent-multiple-jwks';
  provider.faults.next(alias);
  // @ts-expect-error not an alias
  expect(() => provider.faults.next('oidcc-client-test-kid-absent')).toThrow('There is no fault');
  // @ts-expect-error not an option
  expect(() => provider.faults.next('delay', { ms: 5 })).toThrow('has no option "ms"');
  await expect(provider.signIn('', { as: 'another-name' })).rejects.toThrow('There is no clinician');
  // @ts-expect-error without a clinician
  await expect(provider.signIn('', {})).rejects.toThrow();
  await provider.stop();
});
