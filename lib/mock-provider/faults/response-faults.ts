import { PATHS } from '../http/paths.js';
import type { ProviderResponse } from '../http/response.js';
import { EVERY_ENDPOINT } from './endpoints.js';
import type { FaultDefinition, FaultOptions, KindDefaults } from './fault.js';
import type { ResponseFaultName } from './fault-names.js';

/** Spoils an answer. `fits`: which answers there is something to spoil in. @default any */
export interface ResponseFault
  extends FaultDefinition<(answer: ProviderResponse, options: FaultOptions) => ProviderResponse> {
  readonly fits?: (answer: ProviderResponse) => boolean;
}

const A_SECOND = 1000;
const MORE_THAN_A_MEGABYTE = 1_500_000;
const JSON_RULE = 'RFC 8259 section 2';

export const RESPONSE_DEFAULTS: KindDefaults = { endpoint: PATHS.token, endpoints: EVERY_ENDPOINT };

const isSuccess = ({ status }: ProviderResponse) => status < 400;
const hasBody = ({ body }: ProviderResponse) => body !== '';
const hasJSON = ({ headers, body }: ProviderResponse) => /json/.test(String(headers['Content-Type'])) && body !== '';

const hasObject = (answer: ProviderResponse) => hasJSON(answer) && answer.body.startsWith('{"');
const members = ({ body }: ProviderResponse) => JSON.parse(body) as Record<string, unknown>;

/** A spoilt answer is not kept by anybody, nor taken for the good one because of its ETag. */
function withBody(
  { headers: { ETag: _, ...headers }, ...answer }: ProviderResponse,
  body: string,
  type?: string,
): ProviderResponse {
  return {
    ...answer,
    headers: { ...headers, 'Cache-Control': 'no-store', ...(type !== undefined && { 'Content-Type': type }) },
    body,
  };
}

function late(answer: ProviderResponse, { milliseconds = A_SECOND }: FaultOptions): ProviderResponse {
  return { ...answer, delay: milliseconds };
}

function lost(answer: ProviderResponse): ProviderResponse {
  return { ...answer, connectionFault: 'reset' };
}

/** What becomes of an answer on its way: the request has done what it does. */
export const RESPONSE_FAULTS: Readonly<Record<ResponseFaultName, ResponseFault>> = {
  delay: {
    description: 'The answer comes late.',
    source: 'RFC 9110 section 9.2.2',
    options: ['milliseconds'],
    apply: late,
  },
  slowKeys: {
    description: 'The keys come late.',
    source: 'RFC 9110 section 9.2.2',
    endpoint: PATHS.jwks,
    endpoints: [PATHS.jwks],
    options: ['milliseconds'],
    apply: late,
  },
  responseLost: {
    description: 'The request does what it does, and the connection is cut before the answer.',
    source: 'RFC 9110 section 9.2.2',
    apply: lost,
  },
  refreshLost: {
    description: 'A refresh changes the tokens, and the answer is lost.',
    source: 'RFC 9700 section 4.14.2',
    endpoints: [PATHS.token],
    grantType: 'refresh_token',
    fits: isSuccess,
    apply: lost,
  },
  malformedJSON: {
    description: 'The answer is no JSON, although it looks like it: a colon is missing.',
    source: JSON_RULE,
    fits: hasJSON,
    apply: (answer) => withBody(answer, answer.body.includes(':') ? answer.body.replace(':', ' ') : `{${answer.body}`),
  },
  truncatedJSON: {
    description: 'The JSON ends in the middle, and the answer is whole by its length.',
    source: JSON_RULE,
    fits: hasJSON,
    apply: (answer) => withBody(answer, answer.body.slice(0, answer.body.length / 2)),
  },
  truncatedAnswer: {
    description: 'The connection is cut in the middle of the answer.',
    source: 'RFC 9112 section 8',
    fits: hasBody,
    apply: (answer) => ({ ...answer, connectionFault: 'cut' }),
  },
  stalledAnswer: {
    description: 'Half of the answer comes, and then nothing more.',
    source: 'RFC 9112 section 8',
    fits: hasBody,
    apply: (answer) => ({ ...answer, connectionFault: 'stall' }),
  },
  nullAnswer: {
    description: 'The JSON is null.',
    source: JSON_RULE,
    fits: hasJSON,
    apply: (answer) => withBody(answer, 'null'),
  },
  repeatedMembers: {
    description: 'Every member stands twice in the JSON, at first with the value null.',
    source: 'RFC 8259 section 4',
    fits: hasObject,
    apply: (answer) =>
      withBody(
        answer,
        `{${Object.keys(members(answer))
          .map((name) => `${JSON.stringify(name)}:null,`)
          .join('')}${answer.body.slice(1)}`,
      ),
  },
  pollutedJSON: {
    description: 'The JSON has a member __proto__ besides, which a careless merge makes a property of every object.',
    source: 'RFC 8259 section 4',
    fits: hasObject,
    apply: (answer) => withBody(answer, `{"__proto__":{"verified":true,"isAdmin":true},${answer.body.slice(1)}`),
  },
  htmlInsteadOfJSON: {
    description: 'A page comes in place of JSON, with the same status.',
    source: 'RFC 9110 section 8.3',
    fits: hasJSON,
    apply: (answer) => withBody(answer, '<p>hello</p>', 'text/html'),
  },
  wrongContentType: {
    description: 'The JSON is right, and is said to be plain text.',
    source: 'RFC 9110 section 8.3',
    fits: hasJSON,
    apply: (answer) => withBody(answer, answer.body, 'text/plain'),
  },
  oversizedBody: {
    description: 'The JSON is right, and longer than a megabyte.',
    source: 'RFC 9110 section 8.6',
    fits: hasJSON,
    apply: (answer) => withBody(answer, answer.body + ' '.repeat(MORE_THAN_A_MEGABYTE)),
  },
  emptyBody: {
    description: 'The answer is empty, with the same status and content type.',
    source: JSON_RULE,
    fits: hasBody,
    apply: (answer) => withBody(answer, ''),
  },
};
