import type { InstanceActions, Sandbox } from '../../server/admin-handler.js';
import { badRequest } from '../control-error.js';
import type { Operation } from '../operation.js';
import * as schemas from '../schemas.js';

/** The sandboxes that were begun over the control API, by the handle that began them. */
const begun = new WeakMap<InstanceActions, Map<string, Sandbox>>();

/** Providers of their own below this one's address: for tests that run at the same time. */
export const sandboxOperations: readonly Operation[] = [
  {
    method: 'POST',
    path: '/sandboxes',
    id: 'beginSandbox',
    summary: 'Begins a provider of its own below this address, with a control API of its own',
    body: schemas.sandboxOptions,
    example: { lifetimes: { accessToken: '1 minute' } },
    status: 201,
    answer: schemas.sandbox,
    act(_house, { body }, handle) {
      const sandbox = handle.sandbox(body);
      const own = begun.get(handle) ?? new Map<string, Sandbox>();
      begun.set(handle, own.set(sandbox.issuer, sandbox));
      const { issuer, apiURL, shareScriptURL, clients } = sandbox;
      return { issuer, apiURL, shareScriptURL, clients };
    },
  },
  {
    method: 'DELETE',
    path: '/sandboxes',
    id: 'endSandboxes',
    summary: 'Ends the sandbox of an issuer, or all that were begun here',
    query: { issuer: schemas.text },
    answer: schemas.done,
    async act(_house, { query: { issuer } }, handle) {
      const own = begun.get(handle) ?? new Map<string, Sandbox>();
      if (issuer !== undefined && !own.has(issuer)) {
        throw badRequest(`No sandbox ${JSON.stringify(issuer.slice(0, 100))} was begun here.`);
      }
      const ended = [...own.values()].filter((sandbox) => issuer === undefined || sandbox.issuer === issuer);
      for (const sandbox of ended) own.delete(sandbox.issuer);
      await Promise.all(ended.map((sandbox) => sandbox.stop()));
      return schemas.DONE;
    },
  },
];
