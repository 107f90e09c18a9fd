/** Lists the paths of the service spec. */
export const PATHS = {
  openidConfiguration: '/.well-known/openid-configuration',
  authorizationServer: '/.well-known/oauth-authorization-server',
  jwks: '/.well-known/jwks.json',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  userinfo: '/oauth/userinfo',
  sessionState: '/oauth/session_state',
  logout: '/oauth/logout',
  currentUser: '/api/v1/users/current',
  colleagues: '/api/v1/colleagues',
  rateLimit: '/api/v1/rate_limit',
} as const;

/** @returns true for a path of the resource API. */
export function isAPIPath(path: string): boolean {
  return path.startsWith('/api/');
}
