/** Responds 503 while the session store is unavailable, so that its users stay signed in. */
export function orUnavailable(sessions) {
  return (req, res, next) =>
    sessions(req, res, (error) => {
      if (!error) return next();
      console.error(error.message);
      // After the response, only the expiry of the session was not extended.
      if (!res.headersSent) res.status(503).set('Retry-After', '5').send('Please try again in a few seconds.');
    });
}
