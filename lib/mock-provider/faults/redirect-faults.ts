import { PATHS } from '../http/paths.js';
import type { RedirectParameters as Added, ClientRedirect, ProviderResponse } from '../http/response.js';
import { html } from '../pages/html.js';
import { sessionState } from '../protocol/session-state.js';
import { randomToken } from '../state/random.js';
import { EVIL_ISSUER } from './claim-faults.js';
import type { FaultDefinition, FaultOptions, KindDefaults } from './fault.js';
import type { RedirectFaultName } from './fault-names.js';

type Act = (added: Added, redirect: ClientRedirect, options: FaultOptions) => Added;

export interface RedirectFault extends FaultDefinition<Act> {
  /** A parameter without which there is nothing to spoil. */
  readonly needs?: string;
  /** Changes the redirect itself. */
  readonly finish?: ((redirect: ProviderResponse) => ProviderResponse) | undefined;
}

const CALLBACK = 'RFC 6749 section 4.1.2';
const ISS = 'RFC 9207 section 2.4';
const SESSION = 'OpenID Connect Session Management 1.0 section';
const FOREIGN = 'of-somebody-else';

export const REDIRECT_DEFAULTS: KindDefaults = { endpoint: PATHS.authorize, endpoints: [PATHS.authorize] };

function without(name: string): Pick<RedirectFault, 'needs' | 'apply'> {
  return { needs: name, apply: (added) => ({ ...added, [name]: undefined }) };
}

/** Decision 36: what an error response has besides. */
function asError({ state, iss }: Added, { error = 'server_error' }: FaultOptions): Added {
  return { error, error_description: 'The provider was told to answer so', state, iss };
}

/** Loads the callback as a picture, and a second later goes there: the same browser with the same cookies, twice. */
function twice(redirect: ProviderResponse): ProviderResponse {
  const { Location: location, ...headers } = redirect.headers;
  const callback = String(location);
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>On your way back, twice</title></head><body><img src="${callback}" alt=""><p><a href="${callback}">Go on</a></p></body></html>\n`;
  return {
    ...redirect,
    status: 200,
    headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8', Refresh: `1; url=${callback}` },
    body: page.text,
  };
}

/** What is wrong with the redirect back to the client. */
export const REDIRECT_FAULTS: Readonly<Record<RedirectFaultName, RedirectFault>> = {
  missingState: {
    description: 'The redirect back has no state, although the client sent one.',
    source: CALLBACK,
    ...without('state'),
  },
  wrongState: {
    description: 'The redirect back has another state.',
    source: CALLBACK,
    apply: (added) => ({ ...added, state: FOREIGN }),
  },
  missingCode: { description: 'The redirect back has no code.', source: CALLBACK, ...without('code') },
  wrongCode: {
    description: 'The redirect back has a code that nobody issued.',
    source: CALLBACK,
    needs: 'code',
    apply: (added) => ({ ...added, code: FOREIGN }),
  },
  missingIssParameter: {
    description: 'The redirect back has no iss, although the metadata says that it has; only with issParameter: true.',
    source: ISS,
    ...without('iss'),
  },
  wrongIssParameter: {
    description: 'The redirect back says that it comes from another issuer.',
    source: ISS,
    apply: (added) => ({ ...added, iss: EVIL_ISSUER }),
  },
  missingSessionState: {
    description: 'The redirect back has no session_state.',
    source: `${SESSION} 2`,
    ...without('session_state'),
  },
  sessionChanged: {
    description: 'The session changes right after the client was told of it: the session iframe says changed.',
    source: `${SESSION} 3.2`,
    aliases: ['oidcc-client-test-session-management', 'session-management', 'rp-init-logout-session'],
    needs: 'session_state',
    apply: (added, { clientID, uri }) => ({
      ...added,
      session_state: sessionState(clientID, uri, randomToken()),
    }),
  },
  authorizationError: {
    description: 'The redirect back says that something went wrong, in place of a code.',
    source: 'RFC 6749 section 4.1.2.1',
    options: ['error'],
    needs: 'code',
    apply: (added, _redirect, options) => asError(added, options),
  },
  repeatedParameters: {
    description: 'Every parameter stands twice in the redirect back.',
    source: 'RFC 6749 section 3.1',
    apply: (added) =>
      Object.fromEntries(Object.entries(added).map(([name, value]) => [name, [value, value].flat() as string[]])),
  },
  duplicateCallback: {
    description: 'The browser is sent to the callback twice, by a page in between.',
    source: CALLBACK,
    needs: 'code',
    apply: (added) => added,
    finish: twice,
  },
};
