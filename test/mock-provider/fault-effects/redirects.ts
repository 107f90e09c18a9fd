import { expect } from '@jest/globals';
import type { FaultName } from '../../../lib/mock-provider/mock-provider.js';
import { encode, GOODBYE_URI, REDIRECT_URI, send, signIn } from '../wire.js';
import { type Effect, login, SCOPE, type Scene } from './effect.js';

const callbackOf = ({ provider, client }: Scene): Promise<URL> => signIn(provider, client, { scope: SCOPE });

function atCallback(isWrong: (sent: URLSearchParams, scene: Scene) => boolean, options?: Effect['options']): Effect {
  return {
    ...(options && { options }),
    seen: async (scene) => isWrong((await callbackOf(scene)).searchParams, scene),
  };
}

const missing = (name: string): Effect => atCallback((sent) => !sent.has(name));

function atLogout(isWrong: (sent: URLSearchParams) => boolean): Effect {
  return {
    async seen(scene) {
      const { id_token } = await login(scene);
      const fields = { id_token_hint: id_token, post_logout_redirect_uri: GOODBYE_URI, state: 'a state' };
      const { status, location } = await send(scene.provider, `/oauth/logout?${encode(fields)}`);
      expect([status, location.origin + location.pathname]).toEqual([302, GOODBYE_URI]);
      return isWrong(location.searchParams);
    },
  };
}

export const REDIRECT_EFFECTS: Partial<Record<FaultName, Effect>> = {
  missingState: missing('state'),
  wrongState: atCallback((sent) => sent.get('state') !== 'a state' && sent.has('state')),
  missingCode: missing('code'),
  wrongCode: atCallback((sent) => sent.get('code') === 'another-code'),
  missingIssParameter: missing('iss'),
  wrongIssParameter: atCallback((sent, { provider }) => sent.get('iss') !== provider.issuer && sent.has('iss')),
  missingSessionState: missing('session_state'),
  sessionChanged: atCallback((sent, { provider, client }) => {
    const sessionState = sent.get('session_state') ?? '';
    const origin = new URL(REDIRECT_URI).origin;
    return provider.checkSession({ clientID: client.clientID, sessionState, origin }) === 'changed';
  }),
  authorizationError: atCallback(
    (sent) => sent.get('error') === 'temporarily_unavailable' && !sent.has('code') && sent.get('state') === 'a state',
    { error: 'temporarily_unavailable' },
  ),
  repeatedParameters: atCallback((sent) => ['code', 'state', 'iss'].every((name) => sent.getAll(name).length === 2)),
  duplicateCallback: {
    async seen(scene) {
      expect((await callbackOf(scene)).searchParams.get('code')).toEqual(expect.any(String));
      return scene.provider.requests.at(-1)?.status === 200;
    },
  },
  logoutMissingState: atLogout((sent) => !sent.has('state')),
  logoutWrongState: atLogout((sent) => sent.has('state') && sent.get('state') !== 'a state'),
};
