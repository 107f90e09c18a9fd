/** The inspector's paths. `/` is the same page, unless the provider shares a server with a site. */
export const INSPECTOR = {
  root: '/',
  page: '/_mock/inspector',
  style: '/_mock/inspector/inspector.css',
  logo: '/_mock/inspector/logo.svg',
  state: '/_mock/inspector/state.json',
  /** Followed by the path of an operation: `/_mock/inspector/operations/clock`. */
  operations: '/_mock/inspector/operations',
  script: '/_mock/inspector/inspector.js',
} as const;

const INSPECTOR_PATHS: ReadonlySet<string> = new Set(Object.values(INSPECTOR));

export function isInspectorPage(path: string): boolean {
  return path === INSPECTOR.root || path === INSPECTOR.page;
}

export function isInspectorPath(path: string): boolean {
  return INSPECTOR_PATHS.has(path) || path.startsWith(INSPECTOR.operations);
}
