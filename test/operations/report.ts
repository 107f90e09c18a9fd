import type { Exchange } from './visitor.js';

/** What the users saw during a scenario. */
export interface Report {
  redis: string;
  scenario: string;
  users: number;
  requests: number;
  signedOut: number;
  unavailable: number;
  errors: number;
  slowestMs: number;
  /** What each process printed, without the requests of nginx. */
  output: Readonly<Record<string, string>>;
}

export function reportOf(
  redis: string,
  scenario: string,
  exchanges: readonly Exchange[],
  signedOut: ReadonlySet<string>,
  output: Readonly<Record<string, string>>,
): Report {
  const count = (result: Exchange['result']) => exchanges.filter((exchange) => exchange.result === result).length;
  return {
    redis,
    scenario,
    users: new Set(exchanges.map(({ username }) => username)).size,
    requests: exchanges.length,
    signedOut: signedOut.size,
    unavailable: count('unavailable'),
    errors: count('error'),
    slowestMs: Math.round(Math.max(0, ...exchanges.map(({ ms }) => ms))),
    output,
  };
}

const COLUMNS: readonly [title: string, cell: (report: Report) => string | number][] = [
  ['Redis', ({ redis }) => redis],
  ['scenario', ({ scenario }) => scenario],
  ['users', ({ users }) => users],
  ['requests', ({ requests }) => requests],
  ['signed out', ({ signedOut }) => signedOut],
  ['503', ({ unavailable }) => unavailable],
  ['errors', ({ errors }) => errors],
  ['slowest response', ({ slowestMs }) => `${(slowestMs / 1000).toFixed(1)} s`],
  [
    'lines printed',
    ({ output }) =>
      Object.entries(output)
        .map(([name, text]) => `${name} ${linesOf(text)}`)
        .join(', '),
  ],
];

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

/** @returns the reports as a table in Markdown */
export function tableOf(reports: readonly Report[]): string {
  const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  const rows = reports.map((report) => row(COLUMNS.map(([, cell]) => cell(report))));
  return [row(COLUMNS.map(([title]) => title)), row(COLUMNS.map(() => '---')), ...rows].join('\n');
}

/** @returns what the processes printed in each scenario */
export function outputOf(reports: readonly Report[]): string {
  const parts = reports.flatMap(({ redis, scenario, output }) =>
    Object.entries(output).map(([name, text]) => `=== ${redis}, ${scenario}: ${name}\n${text}`),
  );
  return parts.filter((part) => !part.endsWith('\n\n') && linesOf(part) > 1).join('\n');
}
