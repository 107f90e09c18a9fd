import type { Parameters } from '../parameters.js';
import { formDecode } from '../parameters.js';
import { Refusal } from '../refusal.js';
import type { Client, ClientStore } from '../stores/clients.js';

const SOURCE = 'RFC 6749 section 2.3.1';

interface Credentials {
  id: string;
  secret: string;
}

/** Decision 44: who cannot say who it is, gets 401 and is told the scheme. */
function invalidClient(description: string, decision = 44): Refusal {
  return new Refusal('invalid_client', description, { decision, source: 'RFC 6749 section 5.2', status: 401 });
}

function invalidRequest(description: string, decision: number): Refusal {
  return new Refusal('invalid_request', description, { decision, source: SOURCE });
}

/** Decision 43: each half is form-url-encoded. */
function readBasic(header: string): Credentials | Refusal {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(header) ?? [];
  if (encoded === undefined) return invalidRequest('The Authorization header is not Basic with base64', 43);
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return invalidRequest('The Basic credentials have no colon', 43);
  const id = formDecode(decoded.slice(0, colon));
  const secret = formDecode(decoded.slice(colon + 1));
  if (id === undefined || secret === undefined)
    return invalidRequest('The Basic credentials are not form-url-encoded', 43);
  return { id, secret };
}

function known(clients: ClientStore, { id, secret }: Credentials): Client | Refusal {
  const client = clients.get(id);
  if (client === undefined) return invalidClient('Client authentication failed');
  return client.hasSecret(secret) ? client : invalidClient('Client authentication failed');
}

function fromBody(form: Parameters, clients: ClientStore): Client | Refusal {
  const id = form.get('client_id');
  const secret = form.get('client_secret');
  if (id === undefined || secret === undefined) return invalidClient('Client authentication is missing');
  const client = known(clients, { id, secret });
  if (client instanceof Refusal || client.flow === 'profile') return client;
  return invalidClient('This client must authenticate by HTTP Basic', 46);
}

/** @returns the client that asks, or why it is refused (decisions 43 to 46; `basicOnly` is decision 59). */
export function authenticateClient(
  authorization: string | undefined,
  form: Parameters,
  clients: ClientStore,
  { basicOnly = false }: { basicOnly?: boolean } = {},
): Client | Refusal {
  if (authorization === undefined) {
    return basicOnly ? invalidClient('HTTP Basic authentication is required', 59) : fromBody(form, clients);
  }
  const credentials = readBasic(authorization);
  if (credentials instanceof Refusal) return credentials;
  if (form.get('client_secret') !== undefined) return invalidRequest('Two client authentications at once', 45);
  const named = form.get('client_id');
  if (named !== undefined && named !== credentials.id)
    return invalidRequest('client_id differs from the Basic credentials', 45);
  return known(clients, credentials);
}
