import type { BasicCredentials, BasicError } from '../http/authorization.js';
import { formDecode, type Parameters } from '../http/parameters.js';
import type { MockRequest } from '../http/request.js';
import type { Client, ClientStore } from '../state/clients.js';
import { invalidRequest, Refusal } from './refusal.js';
import type { RuleID } from './rules.js';

/** Names the realm of every challenge of this service. */
export const REALM = 'passport-clinician mock provider';

/** @returns the client that sent a token request (RFC 6749 section 2.3). */
export function authenticateClient(http: MockRequest, clients: ClientStore): Client | Refusal {
  if (http.headers.authorization === undefined) return authenticateByForm(http.form, clients);
  const client = authenticateByBasic(http, clients);
  if (client instanceof Refusal || client.registration.tokenEndpointAuthMethod === 'client_secret_basic') return client;
  return invalidClient('client-secret-post-only', 'This client must authenticate in the body, not by HTTP Basic');
}

/** @returns the client, by HTTP Basic only: for revocation (RFC 7009 section 2.1). */
export function authenticateByBasic(http: MockRequest, clients: ClientStore): Client | Refusal {
  const { basic, form } = http;
  if (basic === undefined) {
    return invalidClient('revocation-basic-required', 'Client authentication by HTTP Basic is required');
  }
  if (basic === 'other scheme') {
    return invalidClient('client-authenticated', 'The Authorization header must have the scheme Basic');
  }
  if (form.get('client_secret') !== undefined) {
    return invalidRequest('single-client-authentication', 'Two client authentications in one request');
  }
  const credentials = readBasic(basic);
  if (credentials instanceof Refusal) return credentials;
  const named = form.get('client_id');
  if (named !== undefined && named !== credentials.id) {
    return invalidRequest(
      'client-id-matches-authentication',
      'client_id in the body differs from the one in the Authorization header',
    );
  }
  return checkSecret(credentials, clients);
}

function authenticateByForm(form: Parameters, clients: ClientStore): Client | Refusal {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (id === undefined || secret === undefined) {
    return invalidClient('client-authenticated', 'Client authentication is missing');
  }
  const client = checkSecret({ id, secret }, clients);
  if (client instanceof Refusal || client.registration.tokenEndpointAuthMethod === 'client_secret_post') return client;
  return invalidClient('client-secret-basic-only', 'This client must authenticate by HTTP Basic, not in the body');
}

/** @returns the credentials without their form-url-encoding (RFC 6749 section 2.3.1). */
export function readBasic(basic: BasicCredentials | BasicError): BasicCredentials | Refusal {
  if (basic === 'no base64' || basic === 'other scheme') {
    return invalidRequest('basic-credentials-encoded', 'The Authorization header has no base64 credentials');
  }
  if (basic === 'no colon') {
    return invalidRequest('basic-credentials-encoded', 'The Basic credentials have no colon');
  }
  const [id, secret] = [formDecode(basic.id), formDecode(basic.secret)];
  if (id === undefined || secret === undefined) {
    return invalidRequest('basic-credentials-encoded', 'The Basic credentials are not form-url-encoded');
  }
  return { id, secret };
}

function checkSecret({ id, secret }: BasicCredentials, clients: ClientStore): Client | Refusal {
  const client = clients.authenticate(id, secret);
  if (client !== undefined) return client;
  const reason = clients.get(id) === undefined ? 'There is no such client' : 'The client secret is wrong';
  return invalidClient('client-authenticated', 'Client authentication failed', reason);
}

function invalidClient(rule: RuleID, description: string, reason?: string): Refusal {
  return new Refusal(rule, 'invalid_client', description, { reason, status: 401 });
}
