import { TOKEN_HEADERS } from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import { rateHeaders } from '../state/rate-limiter.js';
import type { FailureContext } from './fault.js';

type Headers = Record<string, string>;

const ONE_HOUR_SECONDS = 3600;

/** The faults that replace the endpoint's response. */
export const FAILURE_FAULTS = {
  reset: {
    description: 'The connection is closed before the request is processed.',
    source: 'RFC 9110 section 9.2.2',
    connectionFault: 'reset',
  },
  noResponse: {
    description: 'The request is not processed and gets no response.',
    source: 'RFC 9110 section 9.2.2',
    connectionFault: 'hang',
  },
  serverError: {
    description: 'The response has status 500 and an HTML page.',
    source: 'RFC 9110 section 15.6',
    status: 500,
    body: '<h1>Internal Server Error</h1>',
    headers: (): Headers => ({ 'Content-Type': 'text/html' }),
  },
  unavailable: {
    description: 'The response has status 503 and JSON.',
    source: 'RFC 9110 section 15.6',
    status: 503,
    body: { error: 'temporarily_unavailable' },
  },
  errorWithSuccess: {
    description: 'The response is an error in JSON with status 200.',
    source: 'RFC 6749 section 5.2',
    status: 200,
    body: { error: 'server_error' },
    isOfAPI: true,
  },
  unexpectedRedirect: {
    description: 'The response is a 307 redirect: a client that follows it sends the request with its secrets again.',
    source: 'RFC 9700 section 4.12',
    status: 307,
    headers: ({ http }: FailureContext): Headers => ({
      Location: http.search === '' ? http.path : `${http.path}?${http.search}`,
      'Cache-Control': 'no-store',
    }),
  },
  rateLimited: {
    description: 'The rate limit is used up: the response has status 429, and the window ends in an hour.',
    source: 'Service spec: limits; RFC 6585 section 4',
    endpoint: '/api/v1/users/current',
    status: 429,
    body: { message: 'API rate limit exceeded', documentation_url: 'https://developer.service.example/errors' },
    headers: ({ now }: FailureContext): Headers => ({
      Status: '429 Too Many Requests',
      'Retry-After': String(ONE_HOUR_SECONDS),
      ...rateHeaders({ limit: 5000, remaining: 0, reset: Math.ceil(now / 1000) + ONE_HOUR_SECONDS, excess: 1 }),
    }),
  },
  codeRefused: {
    description: 'A valid code is refused with invalid_grant.',
    source: 'RFC 6749 section 5.2',
    endpoints: ['/oauth/token'],
    grantType: 'authorization_code',
    status: 400,
    body: { error: 'invalid_grant', error_description: 'The code is unknown, expired or used' },
    headers: (): Headers => TOKEN_HEADERS,
  },
  refreshRefused: {
    description: 'A valid refresh token is refused with invalid_grant.',
    source: 'RFC 6749 section 5.2',
    endpoints: ['/oauth/token'],
    grantType: 'refresh_token',
    status: 400,
    body: { error: 'invalid_grant', error_description: 'The refresh token is unknown, expired or revoked' },
    headers: (): Headers => TOKEN_HEADERS,
  },
  accessTokenRefused: {
    description: 'A valid access token is refused with 401 invalid_token.',
    source: 'RFC 6750 section 3.1',
    endpoints: ['/api/v1/users/current', '/api/v1/colleagues', '/api/v1/rate_limit', '/oauth/userinfo'],
    status: 401,
    body: { message: 'The access token is expired, revoked or unknown', error: 'invalid_token' },
    isOfAPI: true,
    headers: (): Headers => ({ 'WWW-Authenticate': `Bearer realm="${REALM}", error="invalid_token"` }),
  },
} as const;

/** The faults that change the response after the request was processed. */
export const RESPONSE_FAULTS = {
  delay: {
    description: 'The response is delayed.',
    source: 'RFC 9110 section 9.2.2',
    options: ['delay'],
    delayMs: 1000,
  },
  responseLost: {
    description: 'The request is processed and the connection is closed before the response.',
    source: 'RFC 9110 section 9.2.2',
    connectionFault: 'reset',
  },
  malformedJSON: {
    description: 'The body is not valid JSON: a colon is missing.',
    source: 'RFC 8259 section 2',
    requires: 'json',
    body: (body: string): string => (body.includes(':') ? body.replace(':', ' ') : `{${body}`),
  },
  truncatedResponse: {
    description: 'The connection is closed in the middle of the body.',
    source: 'RFC 9112 section 8',
    requires: 'body',
    connectionFault: 'cut',
  },
  stalledResponse: {
    description: 'The response stops in the middle of the body and the connection stays open.',
    source: 'RFC 9112 section 8',
    requires: 'body',
    connectionFault: 'stall',
  },
  nullResponse: {
    description: 'The JSON is null.',
    source: 'RFC 8259 section 2',
    requires: 'json',
    body: (): string => 'null',
  },
  repeatedMembers: {
    description: 'Each member is in the JSON twice, first with the value null.',
    source: 'RFC 8259 section 4',
    requires: 'object',
    body: (body: string): string => {
      const names = Object.keys(JSON.parse(body) as object);
      return `{${names.map((name) => `${JSON.stringify(name)}:null,`).join('')}${body.slice(1)}`;
    },
  },
  pollutedJSON: {
    description: 'The JSON has a member __proto__, which an unsafe merge makes a property of every object.',
    source: 'RFC 8259 section 4',
    requires: 'object',
    body: (body: string): string => `{"__proto__":{"verified":true,"isAdmin":true},${body.slice(1)}`,
  },
  htmlInsteadOfJSON: {
    description: 'The body is HTML with the same status.',
    source: 'RFC 9110 section 8.3',
    requires: 'json',
    contentType: 'text/html',
    body: (): string => '<p>hello</p>',
  },
  wrongContentType: {
    description: 'The Content-Type of the JSON is text/plain.',
    source: 'RFC 9110 section 8.3',
    requires: 'json',
    contentType: 'text/plain',
  },
  oversizedBody: {
    description: 'The JSON is valid and longer than a megabyte.',
    source: 'RFC 9110 section 8.6',
    requires: 'json',
    body: (body: string): string => body + ' '.repeat(1_500_000),
  },
} as const;
