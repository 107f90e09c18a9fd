/** Names a participant of the sequence diagram. */
export type Participant = 'Browser' | 'Site' | 'Provider';

const MAX_TEXT_LENGTH = 400;

/**
 * @returns a text that is safe in a message or a note of a Mermaid diagram. There a line break, a semicolon or a hash ends the
 * text, two percent signs start a comment, and angle brackets are markup. Entities are written `#59;`.
 */
export function mermaidText(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const short = line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH)}...` : line;
  const safe = short.replace(/[#;<>]|%(?=%)/g, (character) => `#${character.charCodeAt(0)};`);
  // A text must not be empty. One that starts with "wrap:" or "nowrap:" is a directive.
  return safe === '' ? '-' : safe.replace(/^(?=(no)?wrap:)/i, '- ');
}

export function requestArrow(from: Participant, to: Participant, text: string): string {
  return `    ${from}->>${to}: ${mermaidText(text)}`;
}

export function responseArrow(from: Participant, to: Participant, text: string): string {
  return `    ${from}-->>${to}: ${mermaidText(text)}`;
}

/** Draws a response that did not arrive. */
export function lostArrow(from: Participant, to: Participant, text: string): string {
  return `    ${from}--x${to}: ${mermaidText(text)}`;
}

export function note(position: string, text: string): string {
  return `    Note ${position}: ${mermaidText(text)}`;
}

export function sequenceDiagram(participants: readonly Participant[], lines: readonly string[]): string {
  const declared = participants.map((name) => `    participant ${name}`);
  return ['sequenceDiagram', ...declared, ...lines, ''].join('\n');
}
