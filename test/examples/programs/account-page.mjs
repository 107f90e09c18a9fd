export function addAccountPage(app, clinician) {
  app.get('/account', clinician.requireLogin(), (req, res) => {
    const csrfToken = clinician.csrfToken(req);
    res.send(`<!doctype html>
      <title>Account</title>
      <link rel="stylesheet" href="${clinician.stylesheetURL}">
      ${clinician.signOutButton({ csrfToken })}
      <form method="post" action="/auth/forget">
        <input type="hidden" name="_csrf" value="${csrfToken}">
        <button>Unlink my account</button>
      </form>`);
  });
}
