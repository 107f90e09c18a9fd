import { createControl } from '../control/control.js';
import type { ControlActions, ControlledProvider } from '../control/operation.js';
import type { AdminHandler } from '../server/admin-handler.js';
import { createInspector } from './inspector.js';

/** Combines the inspector and the control API of a provider, as far as they are enabled. */
export function createAdminHandler(
  provider: ControlledProvider,
  actions: ControlActions,
  enabled: { control: boolean; inspector: boolean },
): AdminHandler {
  const handlers = [
    ...(enabled.inspector ? [createInspector(provider, actions)] : []),
    ...(enabled.control ? [createControl(provider, actions)] : []),
  ];
  return {
    has: (path) => handlers.some((handler) => handler.has(path)),
    respond: (http) => handlers.find((handler) => handler.has(http.path))?.respond(http),
  };
}

/**
 * @returns true where the inspector may be shown: not in production, and not behind a proxy, where every request seems to come
 * from this machine.
 */
export function mayInspect({ publicURL }: { publicURL?: string | undefined }): boolean {
  return process.env.NODE_ENV !== 'production' && publicURL === undefined;
}
