import { createControl } from '../control/control.js';
import type { House } from '../provider-instance.js';
import type { Desk, Handle } from '../server/admin-handler.js';
import { createInspector } from './inspector.js';

/** The inspector and the control API of one house, as far as its options open them. */
export function createDesk(house: House, handle: Handle, open: { control: boolean; inspector: boolean }): Desk {
  const desks = [
    ...(open.inspector ? [createInspector(house, handle)] : []),
    ...(open.control ? [createControl(house, handle)] : []),
  ];
  return {
    has: (path) => desks.some((desk) => desk.has(path)),
    answer: (http) => desks.find((desk) => desk.has(http.path))?.answer(http),
  };
}

/**
 * Nobody looks into a provider in production, nor into one behind a proxy: there all requests look as if they came from this
 * machine.
 */
export function mayInspect({ publicURL }: { publicURL?: string | undefined }): boolean {
  return process.env.NODE_ENV !== 'production' && publicURL === undefined;
}
