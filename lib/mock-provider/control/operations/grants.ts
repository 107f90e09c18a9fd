import { type GrantExpiry, type GrantSelector, grantExpiry, grantSelector } from '../../options/grant-selector.js';
import { grantStates, rateWindows } from '../grant-state.js';
import { type Operation, operation } from '../operation.js';

/** The operations on issued grants. */
export const GRANT_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/grants',
    id: 'listGrants',
    summary: 'The states of codes and token pairs, the newest first, without their values',
    run: ({ grants, clock, recorder, rates }) => ({
      grants: grantStates(grants, clock, recorder.list),
      rates: rateWindows(grants, rates),
    }),
  }),
  operation<GrantSelector>({
    method: 'POST',
    path: '/grants/revoke',
    id: 'revokeGrants',
    summary: 'Revokes the codes and the tokens of grants, as `provider.revokeGrants()`',
    body: grantSelector,
    example: { username: 'verified' },
    run: (_provider, { body }, actions) => ({ grants: actions.revokeGrants(body) }),
  }),
  operation<GrantExpiry>({
    method: 'POST',
    path: '/grants/expire',
    id: 'expireGrants',
    summary: 'Ends the access tokens of grants, or all their tokens, as `provider.expireGrants()`',
    body: grantExpiry,
    example: { username: 'verified', tokens: 'access' },
    run: (_provider, { body }, actions) => ({ grants: actions.expireGrants(body) }),
  }),
];
