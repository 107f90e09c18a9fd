const HEADINGS = ['row', 'metric', 'ours', 'compared with', 'its value', 'ratio', 'goal', 'met'];

function format(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3).replace(/\.0+$/, '');
}

function goalFor(goals, metric, name) {
  const goal = goals.find((entry) => entry.metric === metric && entry.to === name);
  if (goal === undefined) return { text: '', isMet: () => '' };
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = goal;
  const text = goal.max === undefined ? `>= ${goal.min}` : goal.min === goal.max ? `${goal.max}` : `<= ${goal.max}`;
  return { text, isMet: (value) => (value >= min && value <= max ? 'yes' : 'no') };
}

/** @returns a line for each metric and each target that the first one is compared with */
function linesOf({ name, goals = [] }, { metrics }) {
  const lines = [];
  for (const [metric, targets] of Object.entries(metrics)) {
    const [[own, { median: ours }], ...others] = Object.entries(targets);
    const absolute = goalFor(goals, metric, undefined);
    if (others.length === 0 || absolute.text !== '') {
      lines.push([name, metric, format(ours), '', '', '', absolute.text, absolute.isMet(ours)]);
    }
    for (const [other, { median, ratio }] of others) {
      const { text, isMet } = goalFor(goals, metric, other);
      lines.push([
        name,
        metric,
        format(ours),
        other,
        format(median),
        ratio.toFixed(2),
        text && `${text} x`,
        isMet(ratio),
      ]);
    }
    if (own === undefined) throw new Error(`Row ${name} has no target.`);
  }
  return lines;
}

/** @returns the results as a table in Markdown */
export function table(rows) {
  const lines = [HEADINGS, ...rows.flatMap(({ row, result }) => linesOf(row, result))];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [text(HEADINGS), rule, ...lines.slice(1).map(text)].join('\n');
}
