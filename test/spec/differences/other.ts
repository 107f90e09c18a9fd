import type { Difference } from './difference.js';

/** Lists what the mock provider does otherwise or in addition, which is neither looser nor stricter. */
export const OTHER: readonly Difference[] = [
  {
    mock: 'The clock of the provider can be moved and stopped.',
    why: 'A test of expiry does not wait.',
    test: 'mock-provider/state/clock: codes, tokens, sessions, rate windows, keys and the verification queue follow the clock',
  },
  {
    mock: 'A fault makes the next matching response wrong, late or absent.',
    why: 'A test shows what a client does then. Faults apply only when a test queues them.',
    test: 'mock-provider/faults/effects: each fault has a test of its effect',
  },
  {
    mock: 'A sandbox is a separate provider below a path of the same URL.',
    why: 'Concurrent tests share no state.',
    test: 'mock-provider/recording/sandbox: each sandbox has its own requests, logins, problems, report and trace',
  },
  {
    mock: 'The control API at /_mock/ changes clock, faults, clients and clinicians.',
    why: 'Tests in other languages use it.',
    enabledBy: ['control'],
    test: 'mock-provider/control/control: the control API does not exist unless it is enabled',
  },
  {
    mock: 'The inspector at / and the records show each request, with masked secrets.',
    why: 'A developer sees why a request was refused.',
    rules: ['records-without-secrets'],
    test: 'mock-provider/server/every-endpoint: records in provider.requests mask secrets',
  },
  {
    mock: 'Pages for sign-in, sign-out, account creation, verification and the inbox have their own paths.',
    why: 'The specification does not describe them.',
    test: 'mock-provider/interactions/sign-out: logout without post_logout_redirect_uri shows the sign-out page',
  },
  {
    mock: 'An error page is JSON for a client that prefers JSON.',
    why: 'A test reads the reason.',
    test: 'mock-provider/server/every-endpoint: error pages are JSON for a client that prefers it',
  },
  {
    mock: 'A logout request without its required parameters shows a page, where the user can sign out.',
    why: 'OpenID Connect RP-Initiated Logout 1.0 section 2 requires that the user is asked.',
    rules: ['logout-parameters-required'],
    test: 'mock-provider/endpoints/logout: the required parameters %s the session remains and a page asks the user',
  },
  {
    mock: 'Userinfo has sub, names and picture with basic, and the address with email.',
    why: 'The specification does not show its claims.',
    rules: ['userinfo-claims'],
    test: 'mock-provider/endpoints/userinfo: the claims are sub and those of the scope',
  },
  {
    mock: 'The names in the API are those of the sample payload, of the field list, or both; description is in each.',
    why: 'The specification has two spellings, and description in the sample payload only.',
    changedBy: ['spelling'],
    rules: ['profile-member-names'],
    test: 'mock-provider/resources/resources: the profile has the names of the option spelling: both',
  },
  {
    mock: 'A member of a profile without a value is null or empty, or absent where its type allows neither.',
    why: 'The specification marks only maiden_name and description as optional, and does not say what the others are then. An invented value would hide that a site needs it.',
    rules: ['profile-members-without-value'],
    test: 'mock-provider/resources/resources: the profile of a user without values has members that are null or empty, and lacks those that can be neither',
  },
  {
    mock: 'A client is blacklisted when it exceeds the rate limit in the third window.',
    why: 'The specification gives no number of times.',
    rules: ['blacklisted-after-abuse'],
    test: 'mock-provider/resources/resources: a blacklisted application is blacklisted in the third window above the limit',
  },
  {
    mock: 'A refused email address is remembered: the consent page is not shown again for it.',
    why: 'Otherwise each sign-in would show the page. The specification is silent.',
    rules: ['refused-email-remembered'],
    test: 'mock-provider/endpoints/authorize: consent without email is reported in the token response of the openid flow, and is remembered',
  },
  {
    mock: 'Authorization responses have iss.',
    why: 'RFC 9207 section 2 defines it.',
    enabledBy: ['issParameter'],
    rules: ['iss-parameter-optional'],
    test: 'mock-provider/endpoints/authorize: the successful response issParameter: true adds iss to successes and errors, and the metadata announces it',
  },
  {
    mock: 'A client can be registered for one grant type only.',
    why: 'A test shows what a site without refresh tokens does.',
    enabledBy: ['grantTypes'],
    rules: ['grant-type-registered', 'client-authorized'],
    test: 'mock-provider/endpoints/token: grant_type that the client is not registered for is refused',
  },
  {
    mock: 'The share script replaces query parameters of the link with the data- attributes of the same name.',
    why: 'Each value is sent once.',
    rules: ['share-data-attributes-replace'],
  },
  {
    mock: 'Colleagues are generated unless a test adds them, and all data is lost when the provider stops.',
    why: 'A test needs no database.',
    test: 'mock-provider/start: startMockProvider() two providers share no state',
  },
];
