/** Who takes part in a login. */
export type Participant = 'Browser' | 'Site' | 'Provider';

const LONGEST = 400;

/**
 * @returns a text as a message or a note of a Mermaid diagram may hold it: it ends at a line's end, a semicolon or a hash, two
 * percent signs begin a comment, and angle brackets are markup; entities are written `#59;`.
 */
export function mermaidText(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const short = line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
  const safe = short.replace(/[#;<>]|%(?=%)/g, (sign) => `#${sign.charCodeAt(0)};`);
  // A text that begins so is an instruction, and one that is empty is none at all.
  return safe === '' ? '-' : safe.replace(/^(?=(no)?wrap:)/i, '- ');
}

export function message(from: Participant, to: Participant, text: string): string {
  return `    ${from}->>${to}: ${mermaidText(text)}`;
}

export function answerMessage(from: Participant, to: Participant, text: string): string {
  return `    ${from}-->>${to}: ${mermaidText(text)}`;
}

/** An answer that never arrived. */
export function lostMessage(from: Participant, to: Participant, text: string): string {
  return `    ${from}--x${to}: ${mermaidText(text)}`;
}

export function note(where: string, text: string): string {
  return `    Note ${where}: ${mermaidText(text)}`;
}

export function sequenceDiagram(participants: readonly Participant[], lines: readonly string[]): string {
  const declared = participants.map((name) => `    participant ${name}`);
  return ['sequenceDiagram', ...declared, ...lines, ''].join('\n');
}
