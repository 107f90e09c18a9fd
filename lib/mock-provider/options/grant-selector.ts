import { oneOf, type Schema, text } from '../../schema.js';
import { object } from './schema.js';

/** Selects grants: each is a code with the tokens that it was redeemed for. Needs at least one member, and a grant must match all. */
export interface GrantSelector {
  /** The clinician who approved it. */
  username?: string;
  /** The client that it was issued to. */
  clientID?: string;
}

/** Selects grants, and what of them expires. */
export interface GrantExpiry extends GrantSelector {
  /** `access`: the client can still refresh. `all`: the access token, the refresh token and a code that is not used. @default 'all' */
  tokens?: 'access' | 'all';
}

const members = {
  username: text,
  clientID: text,
};

/** Validates {@link GrantSelector}. */
export const grantSelector: Schema<GrantSelector> = object<GrantSelector>({}, members);

/** Validates {@link GrantExpiry}. */
export const grantExpiry: Schema<GrantExpiry> = object<GrantExpiry>(
  {},
  { ...members, tokens: { ...oneOf('access', 'all'), default: 'all' } },
);
