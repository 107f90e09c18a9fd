const HEADINGS = ['metric', 'this package', 'compared with', 'ratio', 'goal', 'met'];

function format(value) {
  if (value >= 1000) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3).replace(/\.0+$/, '');
}

/** @returns a line for each target that the first one is compared with */
function linesOf({ title, unit, goals = {}, summary }) {
  const [{ median }, ...others] = summary;
  return others.map(({ name, ratio }) => {
    const goal = goals[name];
    const cells = goal === undefined ? ['', ''] : [`<= ${goal}`, ratio <= goal ? 'yes' : 'no'];
    return [`${title}, ${unit}`, format(median), name, ratio.toFixed(2), ...cells];
  });
}

/** @returns the results as a table in Markdown */
export function table(rows) {
  const lines = [HEADINGS, ...rows.flatMap(linesOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [text(HEADINGS), rule, ...lines.slice(1).map(text)].join('\n');
}
