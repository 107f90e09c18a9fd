import { createControl } from '../control/control.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { AdminHandler, InstanceActions } from '../server/admin-handler.js';
import { createInspector } from './inspector.js';

/** The inspector and the control API of one house, as far as its options open them. */
export function createAdminHandler(
  instance: ProviderInstance,
  handle: InstanceActions,
  open: { control: boolean; inspector: boolean },
): AdminHandler {
  const desks = [
    ...(open.inspector ? [createInspector(instance, handle)] : []),
    ...(open.control ? [createControl(instance, handle)] : []),
  ];
  return {
    has: (path) => desks.some((adminHandler) => adminHandler.has(path)),
    answer: (http) => desks.find((adminHandler) => adminHandler.has(http.path))?.answer(http),
  };
}

/**
 * Nobody looks into a provider in production, nor into one behind a proxy: there all requests look as if they came from this
 * machine.
 */
export function mayInspect({ publicURL }: { publicURL?: string | undefined }): boolean {
  return process.env.NODE_ENV !== 'production' && publicURL === undefined;
}
