import { startMockProvider } from 'passport-clinician/mock-provider';

export const provider = await startMockProvider();
Object.assign(process.env, provider.env);
export const { site } = await import('./site.js');
