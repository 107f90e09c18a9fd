import type { ClientAuth } from 'openid-client';

/** Authenticates by the parameters `client_id` and `client_secret` (RFC 6749 section 2.3.1). */
export function clientSecretPost(clientSecret: string): ClientAuth {
  return (_server, { client_id }, body) => {
    body.set('client_id', client_id);
    body.set('client_secret', clientSecret);
  };
}

/**
 * Authenticates by HTTP Basic. The client id and the secret are each in application/x-www-form-urlencoded (RFC 6749 section 2.3.1).
 * openid-client also escapes the characters `-._`, which that encoding leaves as they are: a server that does not decode would
 * refuse such a secret.
 */
export function clientSecretBasic(clientSecret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const credentials = `${formEncode(client_id)}:${formEncode(clientSecret)}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

/** The serializer of the URL Standard leaves `*-._` as they are, and writes a space as `+`. */
function formEncode(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length);
}
