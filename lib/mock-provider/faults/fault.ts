import type { PATHS } from '../http/paths.js';
import type { FaultAlias } from './fault-names.js';

/** Where a fault strikes. */
export type FaultKind =
  | 'idToken'
  | 'tokenResponse'
  | 'redirect'
  | 'logout'
  | 'document'
  | 'userinfo'
  | 'profile'
  /** In place of what the endpoint does: the request uses nothing up. */
  | 'failure'
  /** On an answer that has been made: the request has done what it does. */
  | 'response';

/** A path of the provider: those of the service specification complete in an editor, its pages' are taken too. */
export type FaultEndpoint = (typeof PATHS)[keyof typeof PATHS] | (string & Record<never, never>);

/** When a fault strikes, and how hard. Each fault says in {@link FAULTS} which of these it takes. */
export interface FaultOptions {
  /** Only for this client, by its client_id. Not at the metadata and the keys: nobody says there who asks. */
  client?: string;
  /** Only at this path, such as '/oauth/token'. @default the one where the fault makes sense */
  endpoint?: FaultEndpoint;
  /** Not the next time, but the nth from now. @default 1 */
  nth?: number;
  /** At the token endpoint: only when a code is redeemed, or only at a refresh. */
  grantType?: 'authorization_code' | 'refresh_token';
  /** How late an answer comes, in milliseconds. @default 1000 */
  milliseconds?: number;
  /** `serverClockOff`: how far the clock is ahead, in seconds, negative for behind. `rateLimited`: how long the window lasts. */
  seconds?: number;
  /** The status that is answered with, 500 to 599. */
  status?: number;
  /** `authorizationError`: the error code in the redirect (RFC 6749 section 4.1.2.1). @default 'server_error' */
  error?: string;
}

/** What is known of one fault: data, for documentation and for pages that offer faults. */
export interface Fault {
  readonly kind: FaultKind;
  /** Other names that it is known by. */
  readonly aliases: readonly FaultAlias[];
  /** One sentence. */
  readonly description: string;
  /** What speaks of it. */
  readonly source: string;
  /** Where it strikes unless told otherwise; undefined: wherever it first can. */
  readonly endpoint: string | undefined;
  /** Where it may be told to strike. */
  readonly endpoints: readonly string[];
  /** It strikes in answer to this grant type alone; undefined: to any. */
  readonly grantType: FaultOptions['grantType'] | undefined;
  /** What it may be told. */
  readonly options: readonly (keyof FaultOptions)[];
}

/** A fault with what it does; what is the same for all of one kind stands with the kind. */
export interface FaultDefinition<Act> extends Partial<Omit<Fault, 'kind'>> {
  readonly description: string;
  readonly source: string;
  readonly apply: Act;
}

/** What is the same for all faults of a kind. */
export type KindDefaults = Pick<Fault, 'endpoint' | 'endpoints'> & Partial<Pick<Fault, 'options'>>;
