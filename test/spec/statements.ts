import { AUTHENTICATION_STATEMENTS } from './statements/authentication.js';
import { AUTHORIZATION_STATEMENTS } from './statements/authorization.js';
import {
  DOCUMENT_STATEMENTS,
  LOGOUT_STATEMENTS,
  REVOCATION_STATEMENTS,
  SESSION_CHECK_STATEMENTS,
  USERINFO_STATEMENTS,
} from './statements/endpoints.js';
import { ERROR_STATEMENTS, LIMIT_STATEMENTS, VERSION_STATEMENTS } from './statements/limits.js';
import {
  COLLEAGUE_STATEMENTS,
  PROFILE_STATEMENTS,
  RATE_LIMIT_STATUS_STATEMENTS,
  SHARE_PARAMETER_STATEMENTS,
} from './statements/profile.js';
import { RESOURCE_API_STATEMENTS } from './statements/resource-api.js';
import { SERVICE_STATEMENTS } from './statements/service.js';
import type { Statements } from './statements/statement.js';
import { STATE_STATEMENTS } from './statements/states.js';
import { TOKEN_STATEMENTS } from './statements/token.js';
import { ID_TOKEN_STATEMENTS, METADATA_STATEMENTS, TOKEN_RESPONSE_STATEMENTS } from './statements/token-response.js';

/** Lists the testable statements of the service specification, by its parts, in the order of docs/assurance/service-rules.md. */
export const STATEMENTS: readonly (readonly [part: string, statements: Statements])[] = [
  ['what the service does', SERVICE_STATEMENTS],
  ['token response', TOKEN_RESPONSE_STATEMENTS],
  ['profile', PROFILE_STATEMENTS],
  ['colleague list', COLLEAGUE_STATEMENTS],
  ['rate-limit status', RATE_LIMIT_STATUS_STATEMENTS],
  ['ID token', ID_TOKEN_STATEMENTS],
  ['server metadata documents', METADATA_STATEMENTS],
  ['share button parameters', SHARE_PARAMETER_STATEMENTS],
  ['states and transitions', STATE_STATEMENTS],
  ['GET /oauth/authorize', AUTHORIZATION_STATEMENTS],
  ['POST /oauth/token', TOKEN_STATEMENTS],
  ['POST /oauth/revoke', REVOCATION_STATEMENTS],
  ['metadata and keys', DOCUMENT_STATEMENTS],
  ['/oauth/session_state', SESSION_CHECK_STATEMENTS],
  ['/oauth/logout', LOGOUT_STATEMENTS],
  ['/oauth/userinfo', USERINFO_STATEMENTS],
  ['resource API', RESOURCE_API_STATEMENTS],
  ['authentication', AUTHENTICATION_STATEMENTS],
  ['errors', ERROR_STATEMENTS],
  ['limits', LIMIT_STATEMENTS],
  ['versioning', VERSION_STATEMENTS],
];
