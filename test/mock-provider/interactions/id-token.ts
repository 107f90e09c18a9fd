import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, callback, REDIRECT_URI, type Visitor } from '../visitor.js';

/** Signs in and redeems the code. @returns the ID Token */
export async function idTokenOf(provider: MockProvider, visitor: Visitor, username: string): Promise<string> {
  const { clientID, clientSecret } = provider.clients.openid;
  const consent = await visitor.signIn(await visitor.get(authorizePath(provider, { prompt: 'login' })), username);
  const redirect =
    consent.location === '' ? await visitor.submit(consent, { decision: 'approve', approve_email: 'yes' }) : consent;
  const response = await fetch(`${provider.issuer}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientID}:${clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: callback(redirect).get('code') ?? '',
      redirect_uri: REDIRECT_URI,
      code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    }),
  });
  return ((await response.json()) as { id_token: string }).id_token;
}
