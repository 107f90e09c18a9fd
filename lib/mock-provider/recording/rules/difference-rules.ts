import type { RecordedExchange } from '../observation.js';
import type { ExchangeIndex } from './exchange-index.js';
import { checkEach, type ReportRule, sentParameters } from './rule.js';

/** The parameters of an authorization request that this provider reads, and the specification does not list for a flow. */
const UNSPECIFIED: Readonly<Record<'openid' | 'profile', readonly string[]>> = {
  openid: ['max_age', 'login_hint', 'type'],
  profile: ['max_age', 'login_hint', 'code_challenge', 'nonce'],
};

const formRequests = ({ tokenRequests, revocations }: ExchangeIndex) => [...tokenRequests, ...revocations];

/** The rules for what this provider accepts and the service may not: a site that works here can fail there. */
export const DIFFERENCE_RULES: readonly ReportRule[] = [
  {
    id: 'client-id-with-basic',
    severity: 'warning',
    requirement: 'client_id is not in the form of a request that authenticates by HTTP Basic.',
    fix: 'Leave client_id out of the form: the Authorization header has it.',
    source: 'service spec: POST /oauth/token',
    check: (index) =>
      checkEach(
        formRequests(index),
        ({ record }) => record.authorization?.toLowerCase() === 'basic' && 'client_id' in record.form,
        'This differs from the service: client_id was sent in addition to HTTP Basic',
      ),
  },
  {
    id: 'charset-missing',
    severity: 'warning',
    requirement: 'A token or revocation request has charset=utf-8 in its Content-Type.',
    fix: 'Send the Content-Type application/x-www-form-urlencoded; charset=utf-8.',
    source: 'service spec: endpoints',
    check: (index) =>
      checkEach(
        formRequests(index),
        ({ record }) => !/;\s*charset=/i.test(record.headers['content-type'] ?? ''),
        'This differs from the service: the Content-Type had no charset',
      ),
  },
  {
    id: 'parameter-not-in-spec',
    severity: 'warning',
    requirement: 'An authorization request is a GET with only parameters that the service lists for its flow.',
    fix: 'Redirect the browser. Leave max_age and login_hint out, code_challenge and nonce in the profile flow, and type in the openid flow.',
    source: 'service spec: GET /oauth/authorize',
    check({ authorizations, clientOf }) {
      const sentBy = (request: RecordedExchange): readonly string[] => {
        const { flow } = clientOf(request) ?? {};
        const names = flow === undefined ? [] : UNSPECIFIED[flow].filter((name) => name in sentParameters(request));
        return request.record.method === 'POST' ? ['a POST', ...names] : names;
      };
      return checkEach(
        authorizations,
        (request) => sentBy(request).length > 0,
        (violating) => `This differs from the service: ${[...new Set(violating.flatMap(sentBy))].join(', ')} was sent`,
      );
    },
  },
];
