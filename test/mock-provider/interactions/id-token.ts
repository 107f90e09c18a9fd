import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, callback, type Visitor } from '../visitor.js';
import { redeem } from '../wire.js';

/** Signs in and redeems the code. @returns the ID Token */
export async function idTokenOf(provider: MockProvider, visitor: Visitor, username: string): Promise<string> {
  const consent = await visitor.signIn(await visitor.get(authorizePath(provider, { prompt: 'login' })), username);
  const redirect =
    consent.location === '' ? await visitor.submit(consent, { decision: 'approve', approve_email: 'yes' }) : consent;
  return (await redeem(provider, provider.clients.openid, callback(redirect).get('code') ?? '')).json.id_token;
}
