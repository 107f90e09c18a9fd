import { isProduction } from '../../production.js';
import { isControlPath } from '../control/operation.js';
import type { MockProvider } from '../provider.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { AdminHandler } from '../server/served-instance.js';
import { isInspectorPath } from './paths.js';

/**
 * Combines the inspector and the control API of a provider, if they are enabled. Their modules are imported at their first
 * request, because most tests send none.
 */
export function createAdminHandler(
  instance: ProviderInstance,
  provider: () => MockProvider,
  enabled: { control: boolean | { token: string }; inspector: boolean },
): AdminHandler {
  const loadInspector = async () => (await import('./inspector.js')).createInspector(instance, provider());
  const token = typeof enabled.control === 'object' ? enabled.control.token : undefined;
  const loadControl = async () => (await import('../control/control.js')).createControl(instance, provider(), token);
  const handlers = [
    ...(enabled.inspector ? [atFirstRequest(isInspectorPath, loadInspector)] : []),
    ...(enabled.control ? [atFirstRequest(isControlPath, loadControl)] : []),
  ];
  return {
    has: (path) => handlers.some((handler) => handler.has(path)),
    respond: (http) => handlers.find((handler) => handler.has(http.path))?.respond(http),
  };
}

function atFirstRequest(has: AdminHandler['has'], load: () => Promise<Pick<AdminHandler, 'respond'>>): AdminHandler {
  let loaded: Promise<Pick<AdminHandler, 'respond'>> | undefined;
  return {
    has,
    async respond(http) {
      loaded ??= load();
      return (await loaded).respond(http);
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
