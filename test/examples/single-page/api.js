/** The sign-in, which returns to this page. */
export function signInPath() {
  return `/auth/login?returnTo=${encodeURIComponent(location.pathname + location.search + location.hash)}`;
}

/** Calls the API. Opens the sign-in if the user must sign in. */
export async function callAPI(path, options) {
  const response = await fetch(path, options);
  if (response.status === 401) {
    location.assign(signInPath());
    return new Promise(() => {}); // the browser leaves this page
  }
  if (response.ok) return response.json();
  const { detail, title } = await response.json().catch(() => ({})); // a proxy may respond without JSON
  throw new Error(detail ?? title ?? `${path}: status ${response.status}`);
}
