import { expect, test } from '@playwright/test';

const control = `http://127.0.0.1:${process.env.PROVIDER_PORT ?? '4400'}/_mock`;

async function signIn(page, name) {
  await page.goto('/auth/login?returnTo=/notes');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill('clinician');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
}

test.beforeEach(({ request }) => request.post(`${control}/reset`, { data: {} }));

test.afterEach(async ({ request }, testInfo) => {
  if (testInfo.status === testInfo.expectedStatus) return;
  const problems = await request.get(`${control}/problems`);
  await testInfo.attach('what the provider refused', { body: await problems.text(), contentType: 'application/json' });
});

test('a verified clinician reads the notes', async ({ page }) => {
  await signIn(page, 'verified');
  await expect(page.locator('body')).toContainText('notes of ');
});

test('a forged ID Token does not sign in', async ({ page, request }) => {
  await request.post(`${control}/faults`, { data: { name: 'badSignature' } });
  await signIn(page, 'verified');
  await page.goto('/');
  await expect(page.locator('body')).toHaveText('Signed out');
});
