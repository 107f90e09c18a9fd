function signIn(as) {
  cy.request({ url: '/auth/login?returnTo=/notes', followRedirect: false })
    .then(({ headers }) => cy.task('mock', { path: 'sign-in', body: { authorizeURL: headers.location, as } }))
    .then(({ callback }) => cy.visit(callback, { failOnStatusCode: false }));
}

beforeEach(() => {
  cy.task('mock', { path: 'reset' });
});

it('a verified clinician reads the notes', () => {
  signIn('verified');
  cy.contains('notes of ');
});

it('a forged ID Token does not sign in', () => {
  cy.task('mock', { path: 'faults', body: { name: 'badSignature' } });
  signIn('verified');
  cy.visit('/');
  cy.contains('Signed out');
});
