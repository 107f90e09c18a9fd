import type { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Duration } from '../options/duration.js';
import type { SignatureMethod } from './id-token-signatures.js';

/** Names what a fault changes. */
export type FaultKind =
  | 'idToken'
  | 'tokenResponse'
  | 'redirect'
  | 'logout'
  | 'document'
  | 'userinfo'
  | 'profile'
  /** Replaces the endpoint's response: the request is not processed. */
  | 'failure'
  /** Changes the finished response: the request has been processed. */
  | 'response';

/** A path of the provider, or '*' for each. An editor completes the service's paths. Paths of pages are accepted too. */
export type FaultEndpoint = (typeof PATHS)[keyof typeof PATHS] | '*' | (string & Record<never, never>);

/** Limits a fault to some exchanges. `FAULTS` lists what each fault accepts. */
export interface FaultOptions {
  /** Applies only to this client_id. Not for the metadata and the JWKS, whose requests do not identify the client. */
  client?: string;
  /** Applies only at this path, such as '/oauth/token'; '*' is each path that the fault can apply at. @default the `endpoint` in `FAULTS` */
  endpoint?: FaultEndpoint;
  /** At the token endpoint: applies only to this grant type. */
  grantType?: 'authorization_code' | 'refresh_token';
  /** Of the fault `delay`: how late the response is, up to an hour. @default '1 second' */
  delay?: Duration;
}

/** The members of a JSON object, the claims of a JWT or the parameters of a redirect. */
export type Members = Readonly<Record<string, unknown>>;

/** A change of members: one is removed, then some are set, then `change` runs. */
export interface MembersChange {
  /** The member without which the fault does not apply. @default the one to remove */
  readonly requires?: string;
  readonly remove?: string;
  readonly set?: Members;
  change?(members: Members): Members;
}

/** A change of the claims, the header or the signature of an ID Token, or of the signing keys. */
export interface IDTokenChange extends MembersChange {
  readonly header?: MembersChange;
  /** @default signed again with the current key */
  readonly signature?: SignatureMethod;
  /** Replaces the whole ID Token. */
  readonly token?: string;
  /** What happens to the signing keys first. */
  readonly keys?: 'publish-next' | 'rotate';
}

interface RedirectChange extends MembersChange {
  /** True to send a page that loads the callback twice. */
  readonly isSentTwice?: boolean;
}

/** A response in place of the endpoint's. */
export interface FailureResponse {
  readonly status?: number;
  /** An object is sent as JSON. */
  readonly body?: string | object;
  readonly connectionFault?: ProviderResponse['connectionFault'];
  /** True for a response of the resource API itself, which has the rate-limit headers; others are of a proxy in front of it. */
  readonly isOfAPI?: boolean;
  headers?(context: FailureContext): Record<string, string>;
}

export interface FailureContext {
  readonly http: MockRequest;
  /** The rate-limit headers of this request; none outside the resource API. */
  readonly rateHeaders: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly now: number;
}

export interface ResponseChange {
  /** The responses that the fault applies to. @default all */
  readonly requires?: 'body' | 'json' | 'object';
  readonly connectionFault?: ProviderResponse['connectionFault'];
  /** How late the response is unless the option `delay` is set. */
  readonly delayMs?: number;
  readonly contentType?: string;
  body?(body: string): string;
}

/** Maps each kind of fault to its change. */
interface Changes {
  idToken: IDTokenChange;
  tokenResponse: MembersChange;
  redirect: RedirectChange;
  logout: MembersChange;
  document: MembersChange;
  userinfo: MembersChange;
  profile: MembersChange;
  failure: FailureResponse;
  response: ResponseChange;
}

/** A fault without its change. Members that all faults of the kind share are left out. */
interface FaultDescription {
  readonly description: string;
  readonly source: string;
  /** @default the first of {@link endpoints} */
  readonly endpoint?: FaultEndpoint;
  readonly endpoints?: readonly FaultEndpoint[];
  readonly grantType?: FaultOptions['grantType'];
  readonly options?: readonly (keyof FaultOptions)[];
}

/** The faults of one kind, by name. */
export type Definitions<Kind extends FaultKind> = Readonly<Record<string, FaultDescription & Changes[Kind]>>;

/** An entry of the catalogue. */
export type FaultDefinition<Kind extends FaultKind = FaultKind> = {
  [K in Kind]: { readonly kind: K } & FaultDescription & Changes[K];
}[Kind];
