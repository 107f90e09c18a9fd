import request from 'supertest';
import { importPackage } from '../package-entry.mjs';
import { createSite } from './signed-in.mjs';

const TIMES = 20;

/** A test suite: each sign-in has a new supertest agent. */
export default async function start() {
  const { signIn } = await importPackage('./testing');
  const { app, provider } = await createSite();
  app.get('/', (_req, res) => res.send('home'));

  async function run() {
    const startedAt = performance.now();
    for (let index = 0; index < TIMES; index += 1) await signIn(request.agent(app), provider, { as: 'verified' });
    return { 'sign-in ms': (performance.now() - startedAt) / TIMES };
  }

  return { info: {}, operations: { run } };
}
