import { formDecode, type Parameters } from '../http/parameters.js';
import type { Client, ClientStore } from '../state/clients.js';
import { Refusal } from './refusal.js';
import type { RuleID } from './rules.js';

/** Names the realm of every challenge of this service. */
export const REALM = 'passport-clinician mock provider';

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

type Clients = Pick<ClientStore, 'get' | 'unknownClient'>;

/** @returns the client that sent a token request (RFC 6749 section 2.3). */
export function authenticateClient(
  authorization: string | undefined,
  form: Parameters,
  clients: Clients,
): Client | Refusal {
  if (authorization === undefined) return authenticateByForm(form, clients);
  const client = authenticateByBasic(authorization, form, clients);
  if (client instanceof Refusal || client.tokenEndpointAuthMethod === 'client_secret_basic') return client;
  return invalidClient('client-secret-post-only', 'This client must authenticate in the body, not by HTTP Basic');
}

/** @returns the client, by HTTP Basic only: for revocation (RFC 7009 section 2.1). */
export function authenticateByBasic(
  authorization: string | undefined,
  form: Parameters,
  clients: Clients,
): Client | Refusal {
  if (authorization === undefined) {
    return invalidClient('revocation-basic-required', 'Client authentication by HTTP Basic is required');
  }
  if (!/^basic( |$)/i.test(authorization)) {
    return invalidClient('client-authenticated', 'The Authorization header must have the scheme Basic');
  }
  if (form.get('client_secret') !== undefined) {
    return invalidRequest('single-client-authentication', 'Two client authentications in one request');
  }
  const credentials = readBasic(authorization);
  if (credentials instanceof Refusal) return credentials;
  const named = form.get('client_id');
  if (named !== undefined && named !== credentials.id) {
    const description = 'client_id in the body differs from the one in the Authorization header';
    return invalidRequest('client-id-matches-authentication', description);
  }
  return checkSecret(credentials, clients);
}

function authenticateByForm(form: Parameters, clients: Clients): Client | Refusal {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (id === undefined || secret === undefined) {
    return invalidClient('client-authenticated', 'Client authentication is missing');
  }
  const client = checkSecret({ id, secret }, clients);
  if (client instanceof Refusal || client.tokenEndpointAuthMethod === 'client_secret_post') return client;
  return invalidClient('client-secret-basic-only', 'This client must authenticate by HTTP Basic, not in the body');
}

/** Reads Basic credentials: id and secret are form-url-encoded before they are joined (RFC 6749 section 2.3.1). */
export function readBasic(header: string): Credentials | Refusal {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  if (encoded === undefined || encoded.replace(/=+$/, '').length % 4 === 1) {
    return invalidRequest('basic-credentials-encoded', 'The Authorization header has no base64 credentials');
  }
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) return invalidRequest('basic-credentials-encoded', 'The Basic credentials have no colon');
  const [id, secret] = [formDecode(decoded.slice(0, colon)), formDecode(decoded.slice(colon + 1))];
  if (id === undefined || secret === undefined) {
    return invalidRequest('basic-credentials-encoded', 'The Basic credentials are not form-url-encoded');
  }
  return { id, secret };
}

function checkSecret({ id, secret }: Credentials, clients: Clients): Client | Refusal {
  const client = clients.get(id);
  // An unknown client takes as long as a wrong secret.
  if ((client ?? clients.unknownClient).hasSecret(secret) && client !== undefined) return client;
  const reason = client === undefined ? 'There is no such client' : 'The client secret is wrong';
  return invalidClient('client-authenticated', 'Client authentication failed', reason);
}

function invalidClient(rule: RuleID, description: string, reason?: string): Refusal {
  return new Refusal(rule, 'invalid_client', description, { reason, status: 401 });
}

function invalidRequest(rule: RuleID, description: string): Refusal {
  return new Refusal(rule, 'invalid_request', description);
}
