import { importPackage } from '../package-entry.mjs';

const LOGINS = 5_490;
const MIN_RECORDS = 5_400;
const UNKNOWN_PER_LOGIN = 20;

/** A mock provider with as many recorded requests as it stores. @param isUnknown adds unknown parameters to each request */
async function startFullProvider({ isUnknown }) {
  const { startMockProvider } = await importPackage('./mock-provider');
  const provider = await startMockProvider();
  for (let login = 0; login < LOGINS; login += 1) {
    const query = new URLSearchParams({
      client_id: provider.clients.openid.clientID,
      ...{ response_type: 'code', redirect_uri: 'http://127.0.0.1:5001/callback' },
      ...{ state: `state-${login}`, nonce: `nonce-${login}` },
    });
    if (isUnknown)
      for (let index = 0; index < UNKNOWN_PER_LOGIN; index += 1) query.append(`scopes${index}${login}`, 'x');
    await provider.fetch(`${provider.issuer}/oauth/authorize?${query}`, { redirect: 'manual' });
  }
  if (provider.requests.length < MIN_RECORDS) throw new Error(`Only ${provider.requests.length} requests are stored.`);
  return provider;
}

function reportCPU(provider) {
  const before = process.cpuUsage();
  const { findings } = provider.report();
  const { user, system } = process.cpuUsage(before);
  if (findings.length < 3) throw new Error(`Only ${findings.length} findings.`);
  return (user + system) / 1000;
}

/** The report on logins whose parameters are known, and on logins with unknown parameters. */
export default async function start() {
  const known = await startFullProvider({ isUnknown: false });
  const unknown = await startFullProvider({ isUnknown: true });
  const run = () => ({ 'known CPU ms': reportCPU(known), 'unknown CPU ms': reportCPU(unknown) });
  return { info: {}, operations: { run } };
}
