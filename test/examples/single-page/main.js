import { callAPI } from './api.js';

const main = document.querySelector('main');
const { isAuthenticated } = await (await fetch('/auth/session')).json();
if (isAuthenticated) {
  const { id } = await callAPI('/api/me');
  main.textContent = `Signed in: ${id}`;
} else {
  main.innerHTML = '<a href="/auth/login?returnTo=/">Sign in as a clinician</a>';
}
