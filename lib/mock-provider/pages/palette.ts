/** The colours of all pages, in light and in dark. */
export const PALETTE = `:root {
  color-scheme: light dark;
  --ink: #14252e; --soft: #52646e; --paper: #ffffff; --ground: #edf3f5; --line: #d9e2e6; --edge: #748790;
  --accent: #0b656b; --accent-over: #094f54; --accent-ink: #ffffff; --tint: #e8f3f3; --warn: #96261a; --warn-paper: #fdeeeb; --warn-line: #c84b3c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8f0f3; --soft: #a6b7bf; --paper: #17232a; --ground: #0d161b; --line: #2b3c45; --edge: #7b8f99;
    --accent: #6ccfca; --accent-over: #8bdcd8; --accent-ink: #06211f; --tint: #14302f; --warn: #ffb9ae; --warn-paper: #3a1d19; --warn-line: #e08577;
  }
}
`;
