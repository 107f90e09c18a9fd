import type { MockProvider, MockProviderOptions } from '../mock-provider/mock-provider.js';
import { TEST_PASSWORD } from '../mock-provider/options/clinician-options.js';

const controlURL = ({ issuer }: MockProvider): string => `${issuer}/_mock/`;

/** The inspector is not served behind a public URL. */
const hasInspector = ({ publicURL }: MockProviderOptions): boolean => publicURL === undefined;

/** @returns the output of `--json`. The secrets are those of the default clients, which this package publishes. */
export function startLine(provider: MockProvider, options: MockProviderOptions): string {
  const { issuer, apiURL, shareScriptURL, ca, clients } = provider;
  const defaultClients = Object.entries(clients).map(([flow, { clientID, clientSecret }]) => [
    flow,
    { clientID, clientSecret },
  ]);
  return JSON.stringify({
    issuer,
    apiURL,
    shareScriptURL,
    ...(hasInspector(options) && { inspectorURL: `${issuer}/` }),
    ...(options.control && { controlURL: controlURL(provider) }),
    ...(ca !== undefined && { ca }),
    clients: Object.fromEntries(defaultClients),
    pid: process.pid,
  });
}

/** @returns the output without `--json`. It contains no secret of the config file, which may be used elsewhere: CI logs it. */
export function startText(provider: MockProvider, options: MockProviderOptions, caFile: string | undefined): string {
  const { issuer, apiURL, shareScriptURL, clients } = provider;
  const password = options.clinicians ? `${TEST_PASSWORD}, or that of the config file` : TEST_PASSWORD;
  const rows: [string, string][] = [
    ['issuer', issuer],
    ['API', apiURL],
    ['share script', shareScriptURL],
  ];
  if (hasInspector(options)) rows.push(['inspector', `${issuer}/`]);
  if (options.control) rows.push(['control API', controlURL(provider)]);
  for (const [flow, { clientID, clientSecret }] of Object.entries(clients)) {
    rows.push([`client, ${flow}`, `${clientID}   secret ${clientSecret}`]);
  }
  for (const { clientID, flow } of options.clients ?? []) rows.push([`client, ${flow}`, clientID ?? '']);
  rows.push(['sign in as', provider.clinicians.names().join(', ')], ['password', password]);
  if (provider.ca !== undefined) rows.push(['trust', caFile ?? '--ca-file <file> writes the certificate']);
  const width = Math.max(...rows.map(([name]) => name.length));
  return `\n${rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')}\n\n  Press Ctrl+C to stop.\n`;
}

/** @returns the output of `--env`. Its secrets are that of a default client, which this package publishes, and a random one. */
export function siteSettings({ env, ca }: MockProvider, caFile: string | undefined): string {
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value.includes(' ') ? `"${value}"` : value}`);
  if (ca !== undefined) lines.push(trustLine(caFile));
  return ['# Settings of a site with the mock provider, for development', ...lines].join('\n');
}

function trustLine(caFile = '<file>'): string {
  return `# Node trusts the certificate if it is started with NODE_EXTRA_CA_CERTS=${caFile}, the file of --ca-file.`;
}
