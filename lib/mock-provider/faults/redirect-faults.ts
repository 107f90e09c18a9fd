import { PATHS } from '../paths.js';
import type { Entry, KindDefaults } from './fault.js';
import type { LogoutFaultName, RedirectFaultName } from './fault-names.js';

const CALLBACK = 'RFC 6749 section 4.1.2';
const ISS = 'RFC 9207 section 2.4';

export const REDIRECT_DEFAULTS: KindDefaults = { endpoint: PATHS.authorize, endpoints: [PATHS.authorize] };

/** What is wrong with the redirect back to the client. */
export const REDIRECT_FAULTS: Readonly<Record<RedirectFaultName, Entry<undefined>>> = {
  missingState: {
    description: 'The redirect back has no state, although the client sent one.',
    source: CALLBACK,
    act: undefined,
  },
  wrongState: { description: 'The redirect back has another state.', source: CALLBACK, act: undefined },
  missingCode: { description: 'The redirect back has no code.', source: CALLBACK, act: undefined },
  wrongCode: { description: 'The redirect back has a code that nobody issued.', source: CALLBACK, act: undefined },
  missingIssParameter: {
    description: 'The redirect back has no iss, although the metadata says that it has; only with issParameter: true.',
    source: ISS,
    act: undefined,
  },
  wrongIssParameter: {
    description: 'The redirect back says that it comes from another issuer.',
    source: ISS,
    act: undefined,
  },
  missingSessionState: {
    description: 'The redirect back has no session_state.',
    source: 'OpenID Connect Session Management 1.0 section 2',
    act: undefined,
  },
  sessionChanged: {
    description:
      'The session at the service changes right after the client was told of it: the session iframe says changed.',
    source: 'OpenID Connect Session Management 1.0 section 3.2',
    aliases: ['oidcc-client-test-session-management', 'session-management', 'rp-init-logout-session'],
    act: undefined,
  },
  authorizationError: {
    description: 'The redirect back says that something went wrong, in place of a code.',
    source: 'RFC 6749 section 4.1.2.1',
    options: ['error'],
    act: undefined,
  },
  repeatedParameters: {
    description: 'Every parameter stands twice in the redirect back.',
    source: 'RFC 6749 section 3.1',
    act: undefined,
  },
  duplicateCallback: {
    description: 'The browser is sent to the callback twice, by a page in between.',
    source: 'RFC 6749 section 4.1.2',
    act: undefined,
  },
};

export const LOGOUT_DEFAULTS: KindDefaults = { endpoint: PATHS.logout, endpoints: [PATHS.logout] };
const LOGOUT = 'OpenID Connect RP-Initiated Logout 1.0 section 3';

/** What is wrong on the way back from a logout. */
export const LOGOUT_FAULTS: Readonly<Record<LogoutFaultName, Entry<undefined>>> = {
  logoutMissingState: {
    description: 'The way back from a logout has no state, although the client sent one.',
    source: LOGOUT,
    aliases: ['oidcc-client-test-rp-init-logout-no-state', 'rp-init-logout-no-state'],
    act: undefined,
  },
  logoutWrongState: {
    description: 'The way back from a logout has another state.',
    source: LOGOUT,
    aliases: ['oidcc-client-test-rp-init-logout-other-state', 'rp-init-logout-other-state'],
    act: undefined,
  },
};
