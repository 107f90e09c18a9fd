export function addAccountPage(app, clinician) {
  app.get('/account', clinician.requireLogin(), (_req, res) => {
    res.send(`<!doctype html>
      <title>Account</title>
      <link rel="stylesheet" href="${clinician.stylesheetURL}">
      ${clinician.signOutButton()}
      <form method="post" action="/auth/forget"><button>Unlink my account</button></form>`);
  });
}
