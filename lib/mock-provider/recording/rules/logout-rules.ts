import { checkEach, checkGroups, type ReportRule } from './rule.js';

/** The rules for the end of a login. */
export const LOGOUT_RULES: readonly ReportRule[] = [
  {
    id: 'tokens-not-revoked',
    severity: 'error',
    requirement: 'Sign-out revokes tokens.',
    fix: 'POST the refresh token to the revocation endpoint before redirecting the clinician to the logout endpoint.',
    source: 'service spec: Authentication, 7',
    check: ({ logouts, tokenRequests, revocations, pairOf }) => {
      const lastIssue = new Map(
        tokenRequests
          .filter(({ observation }) => observation.responseFingerprints.access_token)
          .map((issue) => [issue.record.login, issue]),
      );
      lastIssue.delete(undefined);
      const revoked = new Set(
        revocations.map(({ observation }) => pairOf(observation.requestFingerprints.token)?.issuedBy),
      );
      return checkEach(
        logouts.filter(({ record }) => record.status === 302 && lastIssue.has(record.login)),
        ({ record }) => !revoked.has(lastIssue.get(record.login)),
        'A clinician signed out, but their tokens are still valid',
      );
    },
  },
  {
    id: 'pair-revoked-twice',
    severity: 'warning',
    requirement: 'One token of a pair is revoked: that ends both.',
    fix: 'Revoke only the refresh token.',
    source: 'service spec: states and transitions',
    check: ({ revocations, pairOf }) =>
      checkGroups(
        revocations.filter(({ observation }) => pairOf(observation.requestFingerprints.token) !== undefined),
        ({ observation }) => pairOf(observation.requestFingerprints.token)?.accessToken,
        (group) =>
          new Set(group.map(({ observation }) => observation.requestFingerprints.token)).size > 1 ? group : [],
        'Both tokens of a pair were revoked',
      ),
  },
  {
    id: 'logout-without-hint',
    severity: 'error',
    requirement: 'A logout request has an id_token_hint.',
    fix: 'Store the encrypted ID Token of the login and send it: without it the provider ends no session.',
    source: 'service spec: /oauth/logout',
    check: ({ logouts }) =>
      checkEach(logouts, (logout) => !logout.parameters.values.id_token_hint, 'A logout request had no id_token_hint'),
  },
  {
    id: 'logout-without-state',
    severity: 'warning',
    requirement: 'A logout request has a state.',
    fix: 'Send a random state, and compare it when the browser returns.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    check: ({ logouts }) =>
      checkEach(logouts, (logout) => !logout.parameters.values.state, 'A logout request had no state'),
  },
];
