/** What this module uses of openid-client. The package contains a copy of it: docs/project/decisions.md has the reason. */
export {
  allowInsecureRequests,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  Configuration,
} from 'openid-client';
