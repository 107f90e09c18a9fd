import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  Configuration,
  type CustomFetch,
  clockSkew,
  clockTolerance,
  customFetch,
  discovery,
  type ServerMetadata,
} from 'openid-client';
import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import type { FetchInit } from '../http.js';
import { type CachedDocument, cachedDocument } from './cached-document.js';
import type { ClientConfig } from './client-config.js';
import { type ExpectedDocument, malformed, readJSONObject, throwIfUnavailable } from './json-response.js';
import { checkedMetadata, specMetadata } from './metadata.js';

/**
 * Reads an answer before openid-client sees it, and answers what openid-client is to see. So every fault has our code,
 * whichever of the two would have found it first. `secrets` are those that went out with the request.
 */
export type ResponseCheck = (response: Response, secrets: readonly string[]) => Promise<Response>;

/** openid-client's Configurations: one per client authentication, made for each act because the clock is part of them. */
export interface Configurations {
  metadata(): Promise<ServerMetadata>;
  /** For the authorization, token and end session endpoints: the flow's own client authentication. */
  forFlow(judge?: ResponseCheck): Promise<Configuration>;
  /** For the revocation endpoint, where the service wants Basic in both flows (spec, POST /oauth/revoke). */
  forRevocation(judge: ResponseCheck): Promise<Configuration>;
}

const METADATA: ExpectedDocument = { name: 'the metadata document', code: 'metadata_malformed' };
const METADATA_LIFETIME = 3_600_000;
/** Two seconds more than ours, so that rounding never lets openid-client refuse what our own check accepts. */
const TOLERANCE = 62;
const SECRET_PARAMETERS = ['client_secret', 'code', 'code_verifier', 'refresh_token', 'token'];

export function createConfigurations(party: ClientConfig): Configurations {
  const secret = party.clientSecret.reveal();
  const flowAuthentication = party.flow.clientAuthentication(secret);
  const basicAuthentication = ClientSecretBasic(secret);
  const metadata: CachedDocument<ServerMetadata> = cachedDocument(party.clock, METADATA_LIFETIME, async () =>
    party.discovery ? discover(party) : specMetadata(party.issuer),
  );

  async function configure(authentication: ClientAuth, judge?: ResponseCheck): Promise<Configuration> {
    const { clientID, clock, issuer } = party;
    const configuration = new Configuration(
      await metadata.get(),
      clientID,
      {
        id_token_signed_response_alg: 'RS256',
        [clockSkew]: Math.round((clock.now() - Date.now()) / 1000),
        [clockTolerance]: TOLERANCE,
      },
      authentication,
    );
    configuration.timeout = 0; // the time limit is our fetch's
    if (isPlain(issuer)) allowInsecureRequests(configuration);
    if (judge) configuration[customFetch] = judgedFetch(party, judge);
    return configuration;
  }
  return {
    metadata: metadata.get,
    forFlow: (judge) => configure(flowAuthentication, judge),
    forRevocation: (judge) => configure(basicAuthentication, judge),
  };
}

/** Runs an act of openid-client, and makes every error one of ours. */
export async function callOpenIDClient<T>(expected: ExpectedDocument, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const cause = error instanceof Error && isClinicianError(error.cause) ? error.cause : error;
    // Not the cause of ours: openid-client keeps the answer, tokens and all, in its errors.
    throw isClinicianError(cause) ? cause : malformed(expected, `is refused: ${messageOf(error)}`);
  }
}

async function discover(party: ClientConfig): Promise<ServerMetadata> {
  const { issuer, clientID } = party;
  let checked!: ServerMetadata;
  const judge: ResponseCheck = async (response) => {
    throwIfUnavailable(response, METADATA);
    if (response.status !== 200) throw malformed(METADATA, `came with status ${response.status}`);
    checked = checkedMetadata(await readJSONObject(response, METADATA), party);
    return Response.json(checked);
  };
  await callOpenIDClient(METADATA, () =>
    discovery(new URL(issuer), clientID, undefined, undefined, {
      [customFetch]: judgedFetch(party, judge),
      ...(isPlain(issuer) && { execute: [allowInsecureRequests] }),
    }),
  );
  return checked;
}

function judgedFetch(party: ClientConfig, judge: ResponseCheck): CustomFetch {
  return async (url, { body, headers, method, signal }) => {
    const form = body instanceof URLSearchParams ? body : new URLSearchParams();
    const init: FetchInit = {
      headers,
      method,
      redirect: 'manual',
      ...(body ? { body: form } : {}),
      ...(signal ? { signal } : {}),
    };
    const secrets = SECRET_PARAMETERS.map((name) => form.get(name) ?? '');
    return judge(await ask(party, url, init), [...secrets, party.clientSecret.reveal()]);
  };
}

/** Asks by the site's fetch, which may be any: its own errors become ours. */
export async function ask({ fetch }: Pick<ClientConfig, 'fetch'>, url: string, init?: FetchInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (isClinicianError(error)) throw error;
    throw new ServiceUnavailableError('service_unreachable', `${new URL(url).origin} cannot be reached.`, told(error));
  }
}

function isPlain(issuer: string): boolean {
  return issuer.startsWith('http:');
}

/** What may be kept of an error of the site's own fetch: it may carry the whole request, secrets and all. */
function told(error: unknown): Error | undefined {
  return error instanceof Error ? new Error(`${error.name}: ${error.message}`) : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'for an unknown reason';
}
