import type { RecordedExchange } from '../observation.js';
import type { ExchangeIndex } from './exchange-index.js';
import { checkEach, type ReportRule } from './rule.js';

/** What this provider accepts, and the service specification does not list. */
interface Difference extends Pick<ReportRule, 'id' | 'requirement' | 'fix' | 'source'> {
  readonly what: string;
  readonly requests: (index: ExchangeIndex) => readonly RecordedExchange[];
  readonly differs: (request: RecordedExchange) => boolean;
}

const AUTHORIZATION = 'service spec: GET /oauth/authorize';
const TOKEN = 'service spec: POST /oauth/token';

const authorizations = (index: ExchangeIndex) => index.authorizations;
const formRequests = ({ tokenRequests, revocations }: ExchangeIndex) => [...tokenRequests, ...revocations];
const ofProfileFlow = ({ authorizations, clientOf }: ExchangeIndex) =>
  authorizations.filter((request) => clientOf(request)?.flow === 'profile');
const hasParameter = (name: string) => (request: RecordedExchange) => name in request.record.query;

const DIFFERENCES: readonly Difference[] = [
  {
    id: 'client-id-with-basic',
    requirement: 'client_id is not in the form of a request that authenticates by HTTP Basic.',
    fix: 'Leave client_id out of the form: the Authorization header has it.',
    source: TOKEN,
    what: 'client_id was sent in addition to HTTP Basic',
    requests: formRequests,
    differs: ({ record }) => record.authorization?.toLowerCase() === 'basic' && 'client_id' in record.form,
  },
  {
    id: 'charset-missing',
    requirement: 'A token or revocation request has charset=utf-8 in its Content-Type.',
    fix: 'Send the Content-Type application/x-www-form-urlencoded; charset=utf-8.',
    source: 'service spec: endpoints',
    what: 'The Content-Type had no charset',
    requests: formRequests,
    differs: ({ record }) => !/;\s*charset=/i.test(record.headers['content-type'] ?? ''),
  },
  {
    id: 'pkce-in-profile-flow',
    requirement: 'PKCE is used in the openid flow only.',
    fix: 'Leave code_challenge and code_verifier out in the profile flow.',
    source: AUTHORIZATION,
    what: 'code_challenge was sent in the profile flow',
    requests: ofProfileFlow,
    differs: hasParameter('code_challenge'),
  },
  {
    id: 'nonce-in-profile-flow',
    requirement: 'nonce is sent in the openid flow only.',
    fix: 'Leave nonce out in the profile flow: it has no ID Token.',
    source: AUTHORIZATION,
    what: 'nonce was sent in the profile flow',
    requests: ofProfileFlow,
    differs: hasParameter('nonce'),
  },
  {
    id: 'max-age-sent',
    requirement: 'max_age is not sent.',
    fix: 'Compare auth_time in the ID Token, and send prompt=login for a new sign-in.',
    source: AUTHORIZATION,
    what: 'max_age was sent',
    requests: authorizations,
    differs: hasParameter('max_age'),
  },
  {
    id: 'login-hint-sent',
    requirement: 'login_hint is not sent.',
    fix: 'Send an earlier ID Token as id_token_hint: it fills in the sign-in name.',
    source: AUTHORIZATION,
    what: 'login_hint was sent',
    requests: authorizations,
    differs: hasParameter('login_hint'),
  },
];

/** The rules for what this provider accepts and the service may not: a site that works here can fail there. */
export const DIFFERENCE_RULES: readonly ReportRule[] = DIFFERENCES.map(({ what, requests, differs, ...rule }) => ({
  ...rule,
  severity: 'warning',
  check: (index) => checkEach(requests(index), differs, `This differs from the service: ${what}`),
}));
