/** Where the inspector is. `/` is the same page, unless the provider shares a server with a site. */
export const INSPECTOR = {
  root: '/',
  page: '/_mock/inspector',
  style: '/_mock/inspector/inspector.css',
  mark: '/_mock/inspector/mark.svg',
  state: '/_mock/inspector/state.json',
  faults: '/_mock/inspector/faults.json',
  /** What a button does, by the name of its operation in the control API: `/_mock/inspector/do/moveClock`. */
  do: '/_mock/inspector/do/',
  script: '/_mock/inspector/inspector.js',
} as const;
