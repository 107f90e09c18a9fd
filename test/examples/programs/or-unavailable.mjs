/** Responds 503 while the session store is unavailable, so that its users stay signed in. */
export function orUnavailable(sessions) {
  return (req, res, next) =>
    sessions(req, res, (error) => {
      if (!error) return next();
      logOutage(error);
      // After the response, only the expiry of the session was not extended.
      if (!res.headersSent) res.status(503).set('Retry-After', '5').send('Please try again in a few seconds.');
    });
}

let outage; // a timer that ends it

/** Prints a line of JSON for the first error of a store, and one when there was none for ten seconds. */
export function logOutage({ code, message }) {
  if (outage) return void outage.refresh();
  log('store_failing', message || code);
  const end = () => {
    outage = undefined;
    log('store_not_failing', 'No error of the store for ten seconds.');
  };
  outage = setTimeout(end, 10_000).unref();
}

function log(event, message) {
  console.log(JSON.stringify({ time: new Date().toISOString(), level: 'warn', pid: process.pid, event, message }));
}
