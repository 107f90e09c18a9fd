import { text } from '../../options/schema.js';
import { badRequest } from '../control-error.js';
import { type ControlActions, type Operation, operation } from '../operation.js';
import * as schemas from '../schemas.js';

type Sandbox = ReturnType<ControlActions['sandbox']>;

/** The sandboxes that the control API of a provider created, by issuer. */
const created = new WeakMap<ControlActions, Map<string, Sandbox>>();

/** The operations on separate providers for tests that run at the same time. */
export const SANDBOX_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'POST',
    path: '/sandboxes',
    id: 'createSandbox',
    summary: 'Creates a separate provider below this address, with its own control API',
    body: schemas.sandboxOptions,
    example: { lifetimes: { accessToken: '1 minute' } },
    status: 201,
    response: schemas.sandbox,
    run(_provider, { body }, actions) {
      const sandbox = actions.sandbox(body);
      const { issuer, apiURL, shareScriptURL, clients } = sandbox;
      created.set(actions, (created.get(actions) ?? new Map()).set(issuer, sandbox));
      return { issuer, apiURL, shareScriptURL, clients };
    },
  }),
  operation({
    method: 'DELETE',
    path: '/sandboxes',
    id: 'stopSandboxes',
    summary: 'Stops the sandbox with an issuer, or all sandboxes that this control API created',
    query: { issuer: text },
    response: schemas.done,
    async run(_provider, { query: { issuer } }, actions) {
      const sandboxes: Map<string, Sandbox> = created.get(actions) ?? new Map();
      if (issuer !== undefined && !sandboxes.has(issuer)) {
        throw badRequest(`This control API created no sandbox ${JSON.stringify(issuer.slice(0, 100))}.`);
      }
      const stopped = [...sandboxes].filter(([own]) => issuer === undefined || own === issuer);
      for (const [own] of stopped) sandboxes.delete(own);
      await Promise.all(stopped.map(([, sandbox]) => sandbox.stop()));
      return schemas.DONE;
    },
  }),
];
