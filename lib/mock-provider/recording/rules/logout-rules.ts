import { checkEach, type ReportRule, sentParameters } from './rule.js';

/** The rules for the end of a login. */
export const LOGOUT_RULES: readonly ReportRule[] = [
  {
    id: 'tokens-not-revoked',
    severity: 'error',
    requirement: 'Sign-out revokes tokens.',
    fix: 'POST the refresh token to the revocation endpoint before redirecting the clinician to the logout endpoint.',
    source: 'service spec: Authentication, 7',
    check: ({ logouts, tokenRequests, revocations, issueOf }) => {
      const lastIssue = new Map(
        tokenRequests
          .filter(({ observation }) => observation.responseFingerprints.access_token)
          .map((issue) => [issue.record.login, issue]),
      );
      lastIssue.delete(undefined);
      const revoked = new Set(revocations.map(({ observation }) => issueOf(observation.requestFingerprints.token)));
      return checkEach(
        logouts.filter(({ record }) => record.status === 302 && lastIssue.has(record.login)),
        ({ record }) => !revoked.has(lastIssue.get(record.login)),
        'A clinician signed out, but their tokens are still valid',
      );
    },
  },
  {
    id: 'logout-without-state',
    severity: 'warning',
    requirement: 'A logout request has a state.',
    fix: 'Send a random state, and compare it when the browser returns.',
    source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    check: ({ logouts }) =>
      checkEach(logouts, (request) => !sentParameters(request).state, 'A logout request had no state'),
  },
];
