import { isProduction } from '../../production.js';
import { isControlPath } from '../control/operation.js';
import type { MockProvider } from '../provider.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { AdminHandler, AdminRespond } from '../server/served-instance.js';
import { isInspectorPath } from './paths.js';

/**
 * Combines the inspector and the control API of a provider, if they are enabled. Their modules are imported at their first
 * request, because most tests send none.
 */
export function createAdminHandler(instance: ProviderInstance, provider: () => MockProvider): AdminHandler {
  const { control } = instance.options;
  const loadInspector = async () => (await import('./inspector.js')).createInspector(instance, provider());
  const loadControl = async () => (await import('../control/control.js')).createControl(instance, provider());
  const handlers = [
    ...(instance.inspectorURL ? [atFirstRequest(isInspectorPath, loadInspector)] : []),
    ...(control ? [atFirstRequest(isControlPath, loadControl)] : []),
  ];
  return {
    has: (path) => handlers.some((handler) => handler.has(path)),
    respond: async (http) => handlers.find((handler) => handler.has(http.path))?.respond(http),
  };
}

function atFirstRequest(has: AdminHandler['has'], load: () => Promise<AdminRespond>): AdminHandler {
  let loaded: Promise<AdminRespond> | undefined;
  return {
    has,
    async respond(http) {
      loaded ??= load();
      return (await loaded)(http);
    },
  };
}

/**
 * @returns true if the provider has an inspector: not in production, and not behind a proxy, which makes every request seem to
 * come from this machine.
 */
export function hasInspector({ publicURL }: { publicURL?: string | undefined }): boolean {
  return !isProduction() && publicURL === undefined;
}
