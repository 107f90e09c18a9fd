/** A handler in a router of Express 4 or 5, with the path that it is mounted at. */
export interface Layer {
  readonly name: string;
  readonly handle: { readonly stack?: readonly Layer[]; readonly health?: unknown };
  /** The route, if the handler is not one of `use()`. */
  readonly route?: object | undefined;
  /** What the last call of `match()` has matched. */
  readonly path?: string;
  /** True for a handler of every path, in Express 5. */
  readonly slash?: boolean;
  /** In Express 4. */
  readonly regexp?: { readonly fast_slash?: boolean };
  match(path: string): boolean;
}

/** The members of an application of Express: `_router` in Express 4. */
interface Application {
  parent?: Application;
  _router?: { stack?: readonly Layer[] };
  router?: { stack?: readonly Layer[] };
}

/** @returns the handlers of the outermost application; undefined without Express. */
export function layersOf(app: Application | undefined): readonly Layer[] | undefined {
  if (app?.parent) return layersOf(app.parent);
  const layers = (app?._router ?? app?.router)?.stack;
  return Array.isArray(layers) && layers.every(({ match }) => typeof match === 'function') ? layers : undefined;
}

/** @returns the handlers that requests for a path reach, in their order, those in routers included. */
export function layersAt(layers: readonly Layer[], path: string): Layer[] {
  return layers.flatMap((layer) => {
    if (!layer.match(path)) return [];
    const { stack } = layer.handle;
    return stack ? layersAt(stack, path.slice(layer.path?.length) || '/') : [layer];
  });
}
