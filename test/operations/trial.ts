import { type Deployment, type DeploymentOptions, startDeployment } from './deployment.js';
import { type Load, startLoad, startSignIns } from './load.js';
import type { RedisUnderTest } from './redis-variants.js';
import { type Report, reportOf } from './report.js';
import { until } from './server-process.js';
import { type Exchange, Visitor } from './visitor.js';

/** What happens to a deployment while its users open pages. */
export interface Scenario {
  title: string;
  /** True where users may get pages with status 503 in the meantime. */
  hasOutage: boolean;
  /** True where users also sign in during the scenario. Each sign-in must succeed. */
  hasSignIns?: boolean;
  /** @returns the users who may be signed out: a process that was killed had a request of theirs */
  run(trial: Trial, load: Load): Promise<ReadonlySet<string>>;
}

interface Outcome {
  report: Report;
  /** The users who were signed out, each with the response that shows it, except those who may be. */
  signedOut: readonly string[];
  /** The users who got an error page other than 503, or no response (status 0), except those who may be signed out. */
  failed: readonly string[];
  /** The users whose sign-in failed in the meantime. */
  failedSignIns: readonly string[];
}

/** A deployment with users, and a report of what they see. */
export interface Trial {
  readonly deployment: Deployment;
  readonly redis: RedisUnderTest;
  readonly visitors: readonly Visitor[];
  readonly reports: readonly Report[];
  /** @returns a user in another browser, who is not signed in */
  newVisitor(username: string): Visitor;
  /** Runs an action. @returns a report of the meantime */
  observe(scenario: string, action: () => Promise<ReadonlySet<string>>): Promise<Report>;
  /** Runs a scenario while these users open pages. */
  run(scenario: Scenario, users: readonly Visitor[]): Promise<Outcome>;
  stop(): Promise<void>;
}

/** Starts a Redis and a deployment. */
export async function startTrial(
  startRedis: () => Promise<RedisUnderTest>,
  options: Omit<DeploymentOptions, 'redisURL'>,
): Promise<Trial> {
  const redis = await startRedis();
  const deployment = await startDeployment({ ...options, redisURL: redis.url }).catch(async (error) => {
    await redis.dispose();
    throw error;
  });
  const exchanges: Exchange[] = [];
  const reports: Report[] = [];

  function newVisitor(username: string): Visitor {
    return new Visitor(username, deployment, (exchange) => exchanges.push(exchange));
  }

  const trial: Trial = {
    deployment,
    redis,
    reports,
    visitors: options.usernames.map(newVisitor),
    newVisitor,

    async observe(scenario, action) {
      const first = exchanges.length;
      const { sites, provider, nginx } = deployment;
      const servers = [...sites, provider, nginx];
      const sizes = servers.map(({ outputSize }) => outputSize);
      const signedOut = await action();
      const output = servers.map((server, index) => [server.name, withoutRequests(server.output(sizes[index]))]);
      const report = reportOf(redis.kind, scenario, exchanges.slice(first), signedOut, Object.fromEntries(output));
      reports.push(report);
      return report;
    },

    async run(scenario, users) {
      let excused: ReadonlySet<string> = new Set();
      let failedSignIns: readonly string[] = [];
      const lost = new Map<string, string>();
      const failed = new Map<string, string>();
      const report = await trial.observe(scenario.title, async () => {
        const first = exchanges.length;
        const load = startLoad(users, exchanges);
        const signIns = scenario.hasSignIns
          ? startSignIns(options.usernames.map((name) => () => newVisitor(name)))
          : undefined;
        try {
          await load.isServed('before the scenario');
          excused = await scenario.run(trial, load);
          await load.isServed('after the scenario');
        } finally {
          await load.stop();
          failedSignIns = (await signIns?.stop()) ?? [];
        }
        for (const { result, username, method, path, status } of exchanges.slice(first)) {
          if (result === 'signed out') lost.set(username, `${method} ${path}: ${status}`);
          if (result === 'error') failed.set(username, `${method} ${path}: ${status}`);
        }
        for (const user of users) if (!(await isSignedIn(user))) lost.set(user.username, 'at the end');
        return new Set(lost.keys());
      });
      for (const user of users) if (lost.has(user.username)) await user.signIn();
      const others = (found: ReadonlyMap<string, string>) =>
        [...found].filter(([username]) => !excused.has(username)).flat();
      return { report, signedOut: others(lost), failed: others(failed), failedSignIns };
    },

    async stop() {
      await deployment.stop();
      await redis.dispose();
    },
  };
  return trial;
}

/** Opens a page that needs the tokens of the user, until the site is available. */
async function isSignedIn(user: Visitor): Promise<boolean> {
  let status = 0;
  await until(`${user.username} gets a page`, async () => {
    status = await user.open('/profile');
    return status !== 503;
  });
  return status === 200;
}

/** Leaves out the lines of nginx's access log. */
function withoutRequests(output: string): string {
  return output.replace(/^\S+ [A-Z]+ \/.*\n/gm, '');
}
