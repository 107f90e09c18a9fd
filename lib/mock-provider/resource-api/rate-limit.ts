import type { Resource } from './resource-api.js';

/** GET /api/v1/rate_limit (decision 95). */
export const rateLimit: Resource = {
  isUncounted: true,
  read: (_house, _http, _grant, { limit, remaining, reset }) => ({
    body: JSON.stringify({ limit, remaining, reset }),
    etag: '',
  }),
};
