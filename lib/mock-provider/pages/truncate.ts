const LONGEST = 120;

/** @returns somebody else's text, cut: who can send a hundred thousand letters does not get a page for them. */
export function truncate(text: string, longest: number = LONGEST): string {
  if (text.length <= longest) return text;
  const letters = [...text.slice(0, longest * 2)];
  return letters.length > longest ? `${letters.slice(0, longest).join('')}...` : text;
}
