import { code, table } from '../../helpers/generated-document.js';
import type { Result, Trial } from '../interop/attempt.js';
import { type Column, versionOf } from '../interop/compare.js';
import { LIBRARIES } from '../interop/libraries.js';
import { EXCHANGE_TRIALS, FORGERY_TRIALS, type ForgeryTrial, UNTRIED } from '../interop/trials.js';

const titles = LIBRARIES.map(({ title }) => title);

function resultAt(column: Column, trial: Trial): Result {
  const result = column.get(trial);
  if (result === undefined) throw new Error(`fault ${trial.fault} has no result`);
  return result;
}

/** A result that violates the rule, or accepts a forged ID Token, is bold. */
function forgeryCell({ rule, isForged }: ForgeryTrial, { outcome }: Result): string {
  if (outcome === 'not requested') return outcome;
  const expected = {
    'must refuse': 'refused',
    'must accept': 'signed in',
    'may accept': isForged ? 'refused' : outcome,
  }[rule];
  return outcome === expected ? outcome : `**${outcome}**`;
}

function exchangeCell({ outcome, status }: Result): string {
  if (outcome === 'refused') return `responds ${status}`;
  return outcome === 'crashes' || outcome === 'hangs' ? `**${outcome}**` : outcome;
}

const frequency = ({ always, isSecond }: Trial) =>
  isSecond ? ', at the second sign-in' : always ? ', every time' : '';

function forgeryTables(columns: readonly Column[]): string {
  return Object.entries(FORGERY_TRIALS)
    .map(([title, trials]) => {
      const rows = trials.map((trial) => [
        code(trial.fault) + frequency(trial),
        trial.rule,
        ...columns.map((column) => forgeryCell(trial, resultAt(column, trial))),
      ]);
      return `\n#### ${title}\n\n${table(['fault', 'a client', ...titles], rows)}`;
    })
    .join('');
}

function exchangeTable(columns: readonly Column[]): string {
  const rows = Object.entries(EXCHANGE_TRIALS).flatMap(([endpoint, trials]) =>
    trials.map((trial) => [
      code(trial.fault) + frequency(trial),
      endpoint,
      ...columns.map((column) => exchangeCell(resultAt(column, trial))),
    ]),
  );
  return table(['fault', 'at', ...titles], rows);
}

/** @returns the comparison with other libraries. */
export function interopSection(columns: readonly Column[]): string {
  const setups = LIBRARIES.map((library) => `- **${library.title}** ${versionOf(library)}: ${library.note}\n`).join('');
  const untried = Object.entries(UNTRIED).map(([name, reason]) => `${code(name)} (${reason})`);
  return `
### Setup of each library

${setups}
### Libraries that accept forged responses
${forgeryTables(columns)}
### Libraries that respond when the service fails

${exchangeTable(columns)}
Not tried with the other libraries: ${untried.join(', ')}.

`;
}
