import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { encode, POST_LOGOUT_URI, REDIRECT_URI, send, signIn } from '../wire.js';
import { type Effect, login, type Parties, SCOPE } from './effect.js';

const callbackOf = ({ provider, client }: Parties): Promise<URL> => signIn(provider, client, { scope: SCOPE });

function atCallback(isWrong: (sent: URLSearchParams, parties: Parties) => boolean): Effect {
  return { isFaulty: async (parties) => isWrong((await callbackOf(parties)).searchParams, parties) };
}

function atLogout(isWrong: (sent: URLSearchParams) => boolean): Effect {
  return {
    async isFaulty(parties) {
      const { id_token } = await login(parties);
      const fields = { id_token_hint: id_token, post_logout_redirect_uri: POST_LOGOUT_URI, state: 'a state' };
      const { status, location } = await send(parties.provider, `/oauth/logout?${encode(fields)}`);
      expect([status, location.origin + location.pathname]).toEqual([302, POST_LOGOUT_URI]);
      return isWrong(location.searchParams);
    },
  };
}

export const REDIRECT_EFFECTS: Partial<Record<FaultName, Effect>> = {
  wrongState: atCallback((sent) => sent.get('state') === 'another-state'),
  missingIssParameter: atCallback((sent) => !sent.has('iss')),
  logoutMissingState: atLogout((sent) => !sent.has('state')),
  sessionChanged: atCallback((sent, { provider, client }) => {
    const sessionState = sent.get('session_state') ?? '';
    const origin = new URL(REDIRECT_URI).origin;
    return provider.checkSession({ clientID: client.clientID, sessionState, origin }) === 'changed';
  }),
  authorizationError: atCallback(
    (sent) => sent.get('error') === 'server_error' && !sent.has('code') && sent.get('state') === 'a state',
  ),
  repeatedParameters: atCallback((sent) => ['code', 'state', 'iss'].every((name) => sent.getAll(name).length === 2)),
  duplicateCallback: {
    async isFaulty(parties) {
      expect((await callbackOf(parties)).searchParams.get('code')).toEqual(expect.any(String));
      return parties.provider.requests.at(-1)?.status === 200;
    },
  },
};
