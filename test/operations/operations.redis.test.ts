import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type RedisServer, startRedis } from '../contracts/redis-server.js';
import { BrowserUser } from '../helpers.js';
import { type Deployment, startDeployment } from './deployment.js';

const built = existsSync(fileURLToPath(new URL('../../example-app/build/main.js', import.meta.url)));
const verified = { username: 'verified', password: 'clinician', decision: 'approve' };

(built || process.env.CI === 'true' ? describe : describe.skip)('two site processes behind nginx with TLS', () => {
  let redis: RedisServer;
  let deployment: Deployment;
  let user: BrowserUser;
  beforeAll(async () => {
    redis = await startRedis();
    deployment = await startDeployment(redis.url);
    user = new BrowserUser(undefined, deployment.send);
  });
  afterAll(async () => {
    await deployment?.stop();
    await redis?.dispose();
  });

  test('sign a user in whose pages both of them serve, and the health checks of compose.yaml succeed', async () => {
    const { status, url } = await user.visit(`${deployment.url}/auth/login?returnTo=/notes`, verified);
    expect([status, url.pathname]).toEqual([200, '/notes']);
    for (const path of ['/profile', '/notes', '/api/me', '/account'])
      expect((await user.get(deployment.url + path)).status).toBe(200);
    const codes = (['site-1', 'site-2', 'mock-provider'] as const).map(deployment.checkHealth);
    expect(codes).toEqual([0, 0, 0]);
  });

  test('many sign-ins in progress with long addresses fit into the limits of nginx', async () => {
    const other = new BrowserUser(undefined, deployment.send);
    const start = `${deployment.url}/auth/login?returnTo=/notes?${'x'.repeat(240)}`;
    let location: string | null = null;
    for (let count = 0; count < 12; count += 1) {
      location = (await other.get(start, { 'sec-fetch-site': 'same-origin' })).headers.get('location');
    }
    const { status, url } = await other.visit(location as string, verified);
    expect([status, url.pathname]).toEqual([200, '/notes']);
  });

  test('while one is killed the other serves its users', async () => {
    await deployment.sites[0]?.end('SIGKILL');
    for (let count = 0; count < 4; count += 1) expect((await user.get(`${deployment.url}/profile`)).status).toBe(200);
  });

  test('the logs of nginx contain no authorization code while no process responds', async () => {
    const { sites, nginx, url } = deployment;
    expect(await sites[1]?.end('SIGTERM')).toBe(0);
    const size = nginx.outputSize;
    expect((await user.get(`${url}/auth/callback?code=authorization-code-1`)).status).toBe(502);
    expect((await user.get(`${url}/notes?page=page-1`)).status).toBe(502);
    expect(nginx.output(size)).toContain('page-1');
    expect(nginx.output(size)).not.toContain('authorization-code-1');
  });
});
