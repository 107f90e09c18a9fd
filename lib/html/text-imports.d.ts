/** A browser script or style sheet as text, with everything that it imports, or a JSON file: scripts/embed-text.mjs. */
declare module '*?text' {
  const text: string;
  export default text;
}
