import { formDecode, type Parameters } from '../http/parameters.js';
import type { Client, ClientStore } from '../state/clients.js';
import { Refusal } from './refusal.js';

/** The realm of every challenge of this service. */
export const REALM = 'passport-clinician mock provider';

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** @returns the client that a token request comes from (RFC 6749 section 2.3; decisions 43 to 46). */
export function authenticateClient(
  authorization: string | undefined,
  form: Parameters,
  clients: ClientStore,
): Client | Refusal {
  return authorization === undefined
    ? authenticateByForm(form, clients)
    : authenticateByBasic(authorization, form, clients);
}

/** @returns the client, by HTTP Basic alone: for revocation (RFC 7009 section 2.1; decision 59). */
export function authenticateByBasic(
  authorization: string | undefined,
  form: Parameters,
  clients: ClientStore,
): Client | Refusal {
  if (authorization === undefined) return invalidClient('Client authentication by HTTP Basic is required', 59);
  if (!/^basic( |$)/i.test(authorization))
    return invalidClient('The Authorization header must be of the scheme Basic', 44);
  if (form.get('client_secret') !== undefined) return invalidRequest('Two client authentications at once', 45);
  const credentials = readBasic(authorization);
  if (credentials instanceof Refusal) return credentials;
  const named = form.get('client_id');
  if (named !== undefined && named !== credentials.id) {
    return invalidRequest('client_id in the body differs from the one in the Authorization header', 45);
  }
  return checkSecret(credentials, clients);
}

function authenticateByForm(form: Parameters, clients: ClientStore): Client | Refusal {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')];
  if (id === undefined || secret === undefined) return invalidClient('Client authentication is missing', 44);
  const client = checkSecret({ id, secret }, clients);
  if (client instanceof Refusal || client.flow === 'profile') return client;
  return invalidClient('This client must authenticate by HTTP Basic, not in the body', 46);
}

/** Each half of Basic credentials is form-url-encoded (decision 43). */
export function readBasic(header: string): Credentials | Refusal {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? [];
  if (encoded === undefined || encoded.replace(/=+$/, '').length % 4 === 1) {
    return invalidRequest('The Authorization header does not hold base64 credentials', 43);
  }
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  if (colon < 0) return invalidRequest('The Basic credentials hold no colon', 43);
  const [id, secret] = [formDecode(decoded.slice(0, colon)), formDecode(decoded.slice(colon + 1))];
  if (id === undefined || secret === undefined)
    return invalidRequest('The Basic credentials are not form-url-encoded', 43);
  return { id, secret };
}

function checkSecret({ id, secret }: Credentials, clients: ClientStore): Client | Refusal {
  const client = clients.get(id);
  // An unknown client takes as long as a wrong secret.
  if (!(client ?? clients.unknownClient).hasSecret(secret) || client === undefined) {
    return invalidClient(
      'Client authentication failed',
      44,
      client === undefined ? 'There is no such client' : 'The client secret is wrong',
    );
  }
  return client;
}

function invalidClient(description: string, decision: number, reason = description): Refusal {
  return new Refusal('invalid_client', description, { decision, reason, source: 'RFC 6749 section 5.2', status: 401 });
}

function invalidRequest(description: string, decision: number): Refusal {
  return new Refusal('invalid_request', description, { decision, source: 'RFC 6749 section 2.3' });
}
