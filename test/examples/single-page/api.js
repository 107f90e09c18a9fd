/** Calls the API. Opens the sign-in if the user must sign in, and returns to this page. */
export async function callAPI(path, options) {
  const response = await fetch(path, options);
  if (response.status === 401) {
    location.assign(`/auth/login?returnTo=${encodeURIComponent(location.pathname + location.search)}`);
    return new Promise(() => {}); // the browser leaves this page
  }
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail ?? body.title);
  return body;
}
