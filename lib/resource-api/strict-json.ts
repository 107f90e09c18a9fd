/**
 * Parses JSON and refuses a member name that comes twice in one object: which of the two counts differs from parser to parser
 * (RFC 8259 section 4), so one reader could be told `verified` and another not.
 * @throws SyntaxError without the text in its message
 */
export function parseStrictJSON(text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new SyntaxError('broken JSON');
  }
  if (namesIn(text) !== membersIn(json)) throw new SyntaxError('a member name that comes twice');
  return json;
}

// In JSON that parses, a string is a member name exactly when a colon follows it.
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g;

function namesIn(text: string): number {
  let names = 0;
  for (const [, colon] of text.matchAll(STRING)) if (colon === ':') names += 1;
  return names;
}

// Without recursion: how deeply it is nested is the sender's choice.
function membersIn(json: unknown): number {
  const rest = [json];
  let members = 0;
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inside: unknown[] = Object.values(value);
    if (!Array.isArray(value)) members += inside.length;
    for (const one of inside) rest.push(one);
  }
  return members;
}
