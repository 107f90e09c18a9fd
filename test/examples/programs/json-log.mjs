/** Option `onEvent`: prints each event as one line of JSON, except those of level `debug`. */
export function logEvent({ at, name, level, message, ...details }) {
  if (level === 'debug') return;
  const line = { time: new Date(at).toISOString(), level, pid: process.pid, event: name, message, ...details };
  console.log(JSON.stringify(line));
}
