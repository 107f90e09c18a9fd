/**
 * The part of the client script that watches the session at the service (OIDC Session Management 3.1; service spec, "Session check").
 *
 * It asks every 30 seconds or so while the page is seen. `error`, an unknown word or no answer ends it. `changed` is looked
 * into by one silent check at a time; nobody is signed out by it alone. Where a browser keeps the service's cookies from
 * frames, `changed` is all that ever comes and the silent check fails as well: so `login_required` is believed only in a
 * browser that has let an `unchanged` through before.
 */
export const sessionCheckScript = `
function watchSession({ clientId, sessionState, frame: address, silentCheck: silent, signOut, interval }) {
  if (!clientId || !sessionState || !address) return;
  const pace = Math.max(SHORTEST, Number(interval) || 30000);
  const origin = new URL(address).origin;
  const frame = hiddenFrame(address);
  let phase = 'idle';
  let doubtful = false;
  let timer;

  function plan(ms) {
    clearTimeout(timer);
    if (phase !== 'stopped' && !document.hidden) timer = setTimeout(ask, ms);
  }
  function later() {
    plan(Math.max(SHORTEST, pace * (0.8 + 0.4 * Math.random())));
  }
  function stop() {
    phase = 'stopped';
    clearTimeout(timer);
    frame.remove();
  }
  function ask() {
    if (phase === 'asked') stop();
    if (phase !== 'idle') return;
    phase = 'asked';
    frame.contentWindow.postMessage(clientId + ' ' + sessionState, origin);
    later();
  }
  function lookInto() {
    phase = 'checking';
    clearTimeout(timer);
    checkSilently(silent, (outcome, newState) => {
      if (outcome === 'same' && newState) {
        sessionState = newState;
        doubtful = true;
        phase = 'idle';
        later();
        return;
      }
      stop();
      if (outcome === 'ended') tell('signed-out');
      if (outcome === 'login_required' && cookiesAreSeen()) signOutHere(signOut);
    });
  }

  window.addEventListener('message', (event) => {
    if (phase !== 'asked' || event.source !== frame.contentWindow || event.origin !== origin) return;
    phase = 'idle';
    if (event.data === 'unchanged') {
      doubtful = false;
      cookiesAreSeen(true);
    } else if (event.data === 'changed' && !doubtful) lookInto();
    else stop();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else if (phase === 'idle' || phase === 'asked') plan(SHORTEST);
  });
  frame.addEventListener('load', () => plan(0), { once: true });
}

const SHORTEST = 2000;
const LONGEST_CHECK = 20000;

function checkSilently(address, done) {
  const frame = hiddenFrame(address);
  const timer = setTimeout(() => finish('error'), LONGEST_CHECK);
  function finish(outcome, sessionState) {
    clearTimeout(timer);
    window.removeEventListener('message', hear);
    frame.remove();
    done(outcome, sessionState);
  }
  function hear({ source, origin, data }) {
    if (source !== frame.contentWindow || origin !== location.origin) return;
    if (data && data.clinician === 'silent-check') finish(data.outcome, data.sessionState);
  }
  window.addEventListener('message', hear);
}

function signOutHere(address) {
  cookiesAreSeen(false);
  fetch(address, { method: 'POST', headers: { accept: 'application/json' } }).then(
    (response) => response.ok && tell('signed-out'),
    () => undefined,
  );
}

let seen = false;
function cookiesAreSeen(now) {
  try {
    if (now === true) localStorage.setItem('clinician-session-check', 'works');
    if (now === false) localStorage.removeItem('clinician-session-check');
    if (now === undefined) return seen || localStorage.getItem('clinician-session-check') === 'works';
  } catch {}
  seen = now === undefined ? seen : now;
  return seen;
}

function hiddenFrame(address) {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = 'Session check';
  frame.src = address;
  document.body.append(frame);
  return frame;
}

function silentCheckDone({ clinicianOutcome: outcome, sessionState }) {
  if (window.parent === window) return;
  window.parent.postMessage({ clinician: 'silent-check', outcome, sessionState }, location.origin);
}

function hearOfSignOut() {
  if (!window.BroadcastChannel) return;
  new BroadcastChannel('clinician').onmessage = ({ data }) => {
    if (data !== 'signed-out') return;
    if (document.dispatchEvent(new CustomEvent('clinician:signed-out', { cancelable: true }))) showAnew();
  };
}
`;
