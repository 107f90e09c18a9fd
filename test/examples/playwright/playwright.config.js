import { defineConfig } from '@playwright/test';

const { SITE_PORT = '5001', PROVIDER_PORT = '4400', CHROMIUM } = process.env;

export default defineConfig({
  workers: 1, // all tests share one provider, and each test resets it
  use: {
    baseURL: `http://127.0.0.1:${SITE_PORT}`,
    launchOptions: { executablePath: CHROMIUM },
  },
  webServer: [
    {
      command: `npx passport-clinician mock-provider --control --port ${PROVIDER_PORT}`,
      url: `http://127.0.0.1:${PROVIDER_PORT}/.well-known/openid-configuration`,
    },
    { command: 'node main.js', url: `http://127.0.0.1:${SITE_PORT}/` },
  ],
});
