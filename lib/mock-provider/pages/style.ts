/** The one look of all pages, served as a file of its own so that the pages' policy needs no inline style. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #12222c; --soft: #5b6b75; --paper: #ffffff; --ground: #eef3f5; --line: #d3dde2; --accent: #0b6e74; --accent-ink: #ffffff; --warn: #9f2d20; --warn-paper: #fdeceA; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8f0f3; --soft: #9fb0b9; --paper: #17242b; --ground: #0d161b; --line: #2c3e47; --accent: #5cc6c2; --accent-ink: #06211f; --warn: #ffb4a8; --warn-paper: #3a1b17; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; display: grid; place-items: center; padding: 24px 16px; }
body.popup { padding: 8px; place-items: start center; }
main { width: 100%; max-width: 420px; background: var(--paper); border: 1px solid var(--line); border-radius: 16px; padding: 28px; box-shadow: 0 8px 28px rgb(10 40 50 / 8%); }
body.popup main { box-shadow: none; padding: 20px; }
.brand { display: flex; align-items: center; gap: 10px; font-weight: 600; color: var(--soft); font-size: 14px; margin: 0 0 20px; }
.brand svg { color: var(--accent); flex: none; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 8px; }
p { margin: 0 0 16px; }
.soft { color: var(--soft); font-size: 14px; }
label { display: block; font-weight: 600; margin: 0 0 6px; }
input[type=text], input[type=password], input[type=email] { width: 100%; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 10px; padding: 11px 12px; margin: 0 0 16px; min-height: 46px; }
button, .button { display: block; width: 100%; font: inherit; font-weight: 600; text-align: center; text-decoration: none; border: 1px solid transparent; border-radius: 10px; padding: 11px 16px; min-height: 46px; cursor: pointer; background: var(--accent); color: var(--accent-ink); margin: 0 0 10px; }
button.quiet { background: transparent; color: inherit; border-color: var(--line); }
button:hover { filter: brightness(1.07); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.alert { background: var(--warn-paper); color: var(--warn); border-radius: 10px; padding: 10px 14px; margin: 0 0 16px; }
ul.scopes { list-style: none; margin: 0 0 20px; padding: 0; border-top: 1px solid var(--line); }
ul.scopes li { padding: 12px 0; border-bottom: 1px solid var(--line); display: flex; gap: 10px; align-items: flex-start; }
ul.scopes input { width: 20px; height: 20px; margin: 2px 0 0; accent-color: var(--accent); flex: none; }
ul.scopes label { font-weight: 400; margin: 0; }
.hint { border-top: 1px solid var(--line); margin: 22px 0 0; padding: 16px 0 0; font-size: 14px; color: var(--soft); }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.92em; overflow-wrap: anywhere; }
`;
