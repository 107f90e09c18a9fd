import type { Result, Trial } from '../peers/attempt.js';
import { type Column, versionOf } from '../peers/compare.js';
import { PEERS } from '../peers/peers.js';
import { FORGERIES, type Forgery, LEFT_OUT, WIRE } from '../peers/trials.js';
import { table } from './markers.js';

const code = (text: string) => `\`${text}\``;
const titles = PEERS.map(({ title }) => title);

function resultAt(column: Column, trial: Trial): Result {
  const result = column.get(trial);
  if (result === undefined) throw new Error(`${trial.fault} was not tried`);
  return result;
}

/** What is against the rule, or would let a forger in, is in bold. */
function forgeryCell({ rule, isForged }: Forgery, { what }: Result): string {
  if (what === 'not asked') return what;
  const right = { 'must refuse': 'refused', 'must accept': 'signed in', 'may accept': isForged ? 'refused' : what };
  return what === right[rule] ? what : `**${what}**`;
}

function wireCell({ what, status }: Result): string {
  if (what === 'refused') return `answers ${status}`;
  return what === 'crashes' || what === 'hangs' ? `**${what}**` : what;
}

const often = ({ always, isSecond }: Trial) => (isSecond ? ', at the second sign-in' : always ? ', every time' : '');

function forgeries(columns: readonly Column[]): string {
  return Object.entries(FORGERIES)
    .map(([title, trials]) => {
      const rows = trials.map((trial) => [
        code(trial.fault) + often(trial),
        trial.rule,
        ...columns.map((column) => forgeryCell(trial, resultAt(column, trial))),
      ]);
      return `\n#### ${title}\n\n${table(['fault', 'a client', ...titles], rows)}`;
    })
    .join('');
}

function wire(columns: readonly Column[]): string {
  const rows = Object.entries(WIRE).flatMap(([place, trials]) =>
    trials.map((trial) => [
      code(trial.fault) + often(trial),
      place,
      ...columns.map((column) => wireCell(resultAt(column, trial))),
    ]),
  );
  return table(['fault', 'at', ...titles], rows);
}

/** @returns the comparison with the peers. */
export function peersSection(columns: readonly Column[]): string {
  const setups = PEERS.map((peer) => `- **${peer.title}** ${versionOf(peer)}: ${peer.note}\n`).join('');
  const leftOut = Object.entries(LEFT_OUT).map(([name, why]) => `${code(name)} (${why})`);
  return `
### How each was set up

${setups}
### Who signs a forged answer in
${forgeries(columns)}
### Who answers when the service does not

${wire(columns)}
Not tried on the peers: ${leftOut.join(', ')}.

`;
}
