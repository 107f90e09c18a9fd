import { type GrantExpiry, type GrantSelector, grantExpiry, grantSelector } from '../../options/grant-selector.js';
import { list, object } from '../../options/schema.js';
import { type GrantState, grantStates, type RateWindow, rateWindows } from '../grant-state.js';
import { type Operation, operation } from '../operation.js';
import * as schemas from '../schemas.js';

const changed = object<{ grants: number }>({ grants: { ...schemas.count, description: 'The number of grants.' } }, {});

/** The operations on issued grants. */
export const GRANT_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/grants',
    id: 'listGrants',
    summary: 'The states of codes and token pairs, the newest first, without their values',
    response: object<{ grants: readonly GrantState[]; rates: readonly RateWindow[] }>(
      { grants: list(schemas.grantState), rates: list(schemas.rateWindow) },
      {},
    ),
    run: ({ grants, clock, recorder, rates }) => ({
      grants: grantStates(grants, clock, recorder.list),
      rates: rateWindows(grants, rates),
    }),
  }),
  operation<GrantSelector, { grants: number }>({
    method: 'POST',
    path: '/grants/revoke',
    id: 'revokeGrants',
    summary: 'Revokes the codes and the tokens of grants, as `provider.revokeGrants()`',
    body: grantSelector,
    example: { username: 'verified' },
    response: changed,
    run: (_provider, { body }, actions) => ({ grants: actions.revokeGrants(body) }),
  }),
  operation<GrantExpiry, { grants: number }>({
    method: 'POST',
    path: '/grants/expire',
    id: 'expireGrants',
    summary: 'Ends the access tokens of grants, or all their tokens, as `provider.expireGrants()`',
    body: grantExpiry,
    example: { username: 'verified', tokens: 'access' },
    response: changed,
    run: (_provider, { body }, actions) => ({ grants: actions.expireGrants(body) }),
  }),
];
