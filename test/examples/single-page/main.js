import { callAPI, signInPath } from './api.js';

const main = document.querySelector('main');

async function show() {
  const { isAuthenticated, user } = await callAPI('/api/session');
  if (isAuthenticated) {
    main.textContent = `Signed in: ${user.name}`;
  } else {
    main.innerHTML = `<a href="${signInPath()}">Sign in as a clinician</a>`;
  }
}

window.addEventListener('focus', show); // another tab may have signed out, or another user in
document.addEventListener('clinician:signed-in', async (event) => {
  event.preventDefault(); // after a popup: the page stays open
  await show();
});
await show();
