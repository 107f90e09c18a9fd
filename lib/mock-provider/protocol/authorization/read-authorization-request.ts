import type { Parameters } from '../../http/parameters.js';
import type { ProviderInstance } from '../../provider-instance.js';
import { Refusal } from '../refusal.js';
import type { AuthorizationRequest, ResponseTarget } from './authorization-request.js';
import type { Check } from './check.js';
import { checkClient } from './check-client.js';
import { checkClientStatus } from './check-client-status.js';
import { checkIDTokenHint } from './check-id-token-hint.js';
import { checkMaxAge } from './check-max-age.js';
import { checkNonce } from './check-nonce.js';
import { checkPKCE } from './check-pkce.js';
import { checkPrompt } from './check-prompt.js';
import { checkRedirectURI } from './check-redirect-uri.js';
import { checkRepetition } from './check-repetition.js';
import { checkRequestObjects } from './check-request-objects.js';
import { checkResponseMode, responseMode } from './check-response-mode.js';
import { checkResponseType } from './check-response-type.js';
import { askedScope, checkScope } from './check-scope.js';
import { readPresentation } from './read-presentation.js';

/** After client and redirect URI, each rule in its order; a refusal by any of them is redirected (decisions 14 to 33). */
const CHECKS: readonly Check[] = [
  checkClientStatus, //       15
  checkRepetition, //     16, 5
  checkResponseType, //   17, 18
  checkResponseMode, //   19, 18
  checkNonce, //          18
  checkScope, //          20 to 22
  checkPKCE, //           23 to 25
  checkRequestObjects, // 26
  readPresentation, //    27
  checkPrompt, //         28
  checkMaxAge, //         32
  checkIDTokenHint, //    33
];

/** What an authorization request comes to: a request, or a refusal; one without a target is shown on a page. */
export type ReadRequest =
  | { readonly request: AuthorizationRequest }
  | { readonly refusal: Refusal; readonly target?: ResponseTarget };

/** Reads an authorization request, rule by rule (decisions 12 to 33). */
export function readAuthorizationRequest(instance: ProviderInstance, parameters: Parameters): ReadRequest {
  const client = checkClient(parameters, instance.clients);
  if (client instanceof Refusal) return { refusal: client };
  const redirectURI = checkRedirectURI(parameters, client);
  if (redirectURI instanceof Refusal) return { refusal: redirectURI };

  const target: ResponseTarget = {
    client,
    redirectURI,
    responseMode: responseMode(parameters),
    state: parameters.repeated.has('state') ? undefined : parameters.get('state'),
    isOpenID: askedScope(parameters, client).includes('openid'),
  };
  let request: Partial<AuthorizationRequest> = target;
  for (const check of CHECKS) {
    const finding = check({ parameters, client, instance });
    if (finding instanceof Refusal) return { refusal: finding, target };
    request = { ...request, ...finding };
  }
  return { request: request as AuthorizationRequest };
}
