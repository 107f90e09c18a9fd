/** What this module uses of oauth4webapi. The package contains a copy of it: docs/project/decisions/0032 has the reason. */
export { allowInsecureRequests, customFetch, genericTokenEndpointRequest, revocationRequest } from 'oauth4webapi';
