import { checkEach, type Rule } from './rule.js';

/** How a client says who it is. */
export const CLIENT_AUTHENTICATION_RULES: readonly Rule[] = [
  {
    id: 'secret-in-body',
    severity: 'error',
    requirement: 'In the openid flow the client authenticates by HTTP Basic.',
    fix: 'Use client_secret_basic: id and secret, each form-url-encoded, in the Authorization header.',
    source: 'service spec: two forms of the flow',
    check: ({ tokens, clientOf }) =>
      checkEach(
        tokens.filter((entry) => clientOf(entry)?.flow === 'openid'),
        ({ record }) => record.form.client_secret !== undefined,
        'client_secret stood in the body',
      ),
  },
  {
    id: 'basic-not-encoded',
    severity: 'error',
    requirement: 'Both halves of Basic credentials are form-url-encoded.',
    fix: 'Encode id and secret with encodeURIComponent before joining them with a colon: a colon, a plus or a percent sign breaks them.',
    source: 'RFC 6749 section 2.3.1',
    check: ({ entries }) =>
      checkEach(
        entries.filter(({ record }) => record.authorization?.toLowerCase() === 'basic'),
        ({ seen }) => seen.isBasicRaw,
        'The Basic credentials were joined as they stand',
      ),
  },
];
