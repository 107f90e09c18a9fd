import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startRedis } from '../contracts/redis-server.js';
import { type Deployment, startDeployment } from './deployment.js';
import { startLoad } from './load.js';
import { clusterUnderTest, sentinelUnderTest } from './redis-variants.js';
import { type Report, reportOf, tableOf } from './report.js';
import { type RedisUnderTest, scenarios } from './scenarios.js';
import { until } from './server-process.js';
import { type Exchange, Visitor } from './visitor.js';

/** `npm run test:operations` runs every scenario with every Redis; `npm test` runs some of them. */
const isFull = process.env.OPERATIONS === 'full';
const SHORT = ['SIGKILL of a site process'];
const SIGN_INS = isFull ? 50 : 10;
const VISITORS = isFull ? 20 : 5;
/** A token is refreshed when it is valid for less than a minute: each user has a refresh every two seconds. */
const ACCESS_TOKEN_LIFETIME = '62 seconds';
const MAX_RESPONSE_MS = 30_000;
const TIMEOUT_MS = 120_000;

const REDIS: Readonly<Record<string, () => Promise<RedisUnderTest>>> = {
  standalone: startRedis,
  ...(isFull && { Cluster: clusterUnderTest, Sentinel: sentinelUnderTest }),
};
const usernames = Array.from({ length: SIGN_INS }, (_, index) => `clinician-${index + 1}`);
const built = existsSync(fileURLToPath(new URL('../../example-app/build/main.js', import.meta.url)));
const reports: Report[] = [];

(built || process.env.CI === 'true' ? describe : describe.skip).each(Object.keys(REDIS))(
  'two site processes behind nginx with TLS, Redis: %s',
  (kind) => {
    let redis: RedisUnderTest;
    let deployment: Deployment;
    const exchanges: Exchange[] = [];
    const visitors: Visitor[] = [];

    beforeAll(async () => {
      redis = await (REDIS[kind] as () => Promise<RedisUnderTest>)();
      deployment = await startDeployment({
        redisURL: redis.url,
        usernames,
        accessTokenLifetime: ACCESS_TOKEN_LIFETIME,
      });
      visitors.push(...usernames.map((name) => new Visitor(name, deployment, (exchange) => exchanges.push(exchange))));
    }, TIMEOUT_MS);
    afterAll(async () => {
      await deployment?.stop();
      await redis?.dispose();
      if (isFull) process.stdout.write(`\n${tableOf(reports)}\n`);
    }, TIMEOUT_MS);

    /** @returns a function that reports the exchanges and the output since then */
    function observe(scenario: string): (signedOut?: ReadonlySet<string>) => Report {
      const first = exchanges.length;
      const { sites, provider, nginx } = deployment;
      const processes = [...sites, provider, nginx];
      const starts = processes.map(({ outputSize }) => outputSize);
      return (signedOut = new Set()) => {
        const output = processes.map((server, index) => [server.name, withoutRequests(server.output(starts[index]))]);
        const report = reportOf(kind, scenario, exchanges.slice(first), signedOut, Object.fromEntries(output));
        reports.push(report);
        return report;
      };
    }

    /** @returns the users who are no longer signed in */
    async function signedOut(users: readonly Visitor[]): Promise<Set<string>> {
      const found = new Set<string>();
      for (const visitor of users) {
        let status = 503;
        await until(`${visitor.username} gets a page`, async () => {
          status = await visitor.open('/profile');
          return status !== 503;
        });
        if (status !== 200) found.add(visitor.username);
      }
      return found;
    }

    test(
      `${SIGN_INS} concurrent sign-ins succeed`,
      async () => {
        const report = observe(`${SIGN_INS} concurrent sign-ins`);
        const results = await Promise.all(visitors.map((visitor) => visitor.signIn()));
        expect(results.filter((isSignedIn) => !isSignedIn)).toEqual([]);
        expect(report()).toMatchObject({ unavailable: 0, errors: 0 });
      },
      TIMEOUT_MS,
    );

    test('the health checks of compose.yaml succeed', () => {
      const codes = (['site-1', 'site-2', 'mock-provider'] as const).map((service) => deployment.checkHealth(service));
      expect(codes).toEqual([0, 0, 0]);
    });

    const selected = scenarios.filter(({ title }) => isFull || SHORT.includes(title));
    test.each(selected.map((scenario) => [scenario.title, scenario] as const))(
      '%s signs no user out',
      async (title, { run, hasOutage }) => {
        const users = visitors.slice(0, VISITORS);
        const report = observe(title);
        const start = exchanges.length;
        const load = startLoad(users, exchanges);
        await load.isServed('before the scenario');
        const excused = await run(deployment, redis, load);
        await load.isServed('after the scenario');
        await load.stop();
        const seen = exchanges.slice(start).filter(({ result }) => result === 'signed out');
        const lost = new Set([...seen.map(({ username }) => username), ...(await signedOut(users))]);
        const { slowestMs, unavailable, errors } = report(lost);
        expect([...lost].filter((username) => !excused.has(username))).toEqual([]);
        expect(slowestMs).toBeLessThan(MAX_RESPONSE_MS);
        if (!hasOutage) expect({ unavailable, errors }).toEqual({ unavailable: 0, errors: 0 });
        for (const visitor of users) if (lost.has(visitor.username)) await visitor.signIn();
      },
      TIMEOUT_MS,
    );
  },
);

/** Leaves out the lines of nginx's access log. */
function withoutRequests(output: string): string {
  return output.replace(/^\S+ [A-Z]+ \/.*\n/gm, '');
}
