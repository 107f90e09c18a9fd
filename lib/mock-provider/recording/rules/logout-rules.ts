import { parametersOf } from './exchange-index.js';
import { checkEach, checkGroups, type Rule } from './rule.js';

/** How a login is ended. */
export const LOGOUT_RULES: readonly Rule[] = [
  {
    id: 'tokens-not-revoked',
    severity: 'error',
    requirement: 'Who signs out has their tokens revoked.',
    fix: 'POST the refresh token to the revocation endpoint before sending the clinician to the end of session.',
    source: 'service spec: Authentication, 7',
    check: ({ logouts, tokens, revocations, pairOf }) => {
      const newest = new Map(
        tokens.filter(({ seen }) => seen.responseDigests.access_token).map((one) => [one.record.login, one]),
      );
      newest.delete(undefined);
      const revoked = new Set(revocations.map(({ seen }) => pairOf(seen.requestDigests.token)?.issued));
      return checkEach(
        logouts.filter(({ record }) => record.status === 302 && newest.has(record.login)),
        ({ record }) => !revoked.has(newest.get(record.login)),
        'A clinician signed out, and their tokens are still good',
      );
    },
  },
  {
    id: 'pair-revoked-twice',
    severity: 'warning',
    requirement: 'One of a pair of tokens is revoked, and both end.',
    fix: 'Revoke the refresh token alone.',
    source: 'service spec: states and transitions',
    check: ({ revocations, pairOf }) => {
      const about = revocations.filter(({ seen }) => pairOf(seen.requestDigests.token) !== undefined);
      return checkGroups(
        about,
        ({ seen }) => pairOf(seen.requestDigests.token)?.access,
        (group) => (new Set(group.map(({ seen }) => seen.requestDigests.token)).size > 1 ? group : []),
        () => 'Both tokens of a pair were revoked, one after the other',
      );
    },
  },
  {
    id: 'logout-without-hint',
    severity: 'error',
    requirement: 'A logout request has an id_token_hint.',
    fix: 'Keep the ID Token of the login, sealed, and send it: without it nobody is signed out.',
    source: 'service spec: /oauth/logout',
    check: ({ logouts }) =>
      checkEach(logouts, (entry) => !parametersOf(entry).id_token_hint, 'A logout request had no id_token_hint'),
  },
  {
    id: 'logout-without-state',
    severity: 'warning',
    requirement: 'A logout request has a state.',
    fix: 'Send a random state, and compare it when the browser comes back.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    check: ({ logouts }) => checkEach(logouts, (entry) => !parametersOf(entry).state, 'A logout request had no state'),
  },
];
