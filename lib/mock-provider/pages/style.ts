import { PALETTE } from './palette.js';

/** The one look of all pages, served as a file of its own so that the pages' policy needs no inline style. */
export const STYLE: string = `
${PALETTE}*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: 24px 16px 40px; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere;
}
header, main { width: 100%; max-width: 440px; margin-inline: auto; }
.wide header, .wide main { max-width: 640px; }
header { display: flex; align-items: center; gap: 10px; margin-top: clamp(0px, 7vh, 72px); margin-bottom: 16px; padding-inline: 4px; font-weight: 650; }
header svg { flex: none; }
.mark-ground { fill: var(--accent); }
.mark-sign { fill: var(--accent-ink); }
.tag { margin-left: auto; padding: 1px 10px; border: 1px solid var(--edge); border-radius: 99px; color: var(--soft); font-size: 13px; font-weight: 500; }
main { background: var(--paper); border: 1px solid var(--line); border-radius: 18px; padding: clamp(22px, 6vw, 34px); box-shadow: 0 10px 34px rgb(10 40 50 / 7%); }
main > :last-child, form > :last-child, .actions > :last-child { margin-bottom: 0; }
h1 { font-size: clamp(1.45rem, 5.5vw, 1.7rem); line-height: 1.22; letter-spacing: -0.01em; margin: 0 0 8px; text-wrap: balance; }
h2, legend { font-size: 1rem; font-weight: 600; line-height: 1.4; margin: 24px 0 6px; padding: 0; }
p { margin: 0 0 16px; }
.soft, .hint { color: var(--soft); font-size: 0.9375rem; }
a { color: var(--accent); text-underline-offset: 3px; }
a:hover { text-decoration-thickness: 2px; }
form { margin: 20px 0 0; }
.field { margin: 0 0 18px; }
.label { font-weight: 600; margin: 0 0 4px; }
.shared { margin: 0; }
.row { display: grid; grid-template-columns: 1fr 1fr; gap: 0 14px; }
label { display: block; font-weight: 600; margin: 0 0 6px; }
.field .hint { margin: -4px 0 6px; }
.field .problem { color: var(--warn); font-weight: 600; font-size: 0.9375rem; margin: -2px 0 6px; }
input:not([type=checkbox]), textarea, select {
  display: block; width: 100%; min-height: 48px; padding: 10px 13px; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--edge); border-radius: 11px;
}
textarea { resize: vertical; line-height: 1.5; }
input:hover, textarea:hover, select:hover { border-color: var(--accent); }
input[aria-invalid=true], textarea[aria-invalid=true], select[aria-invalid=true] { border: 2px solid var(--warn-line); }
button, .button {
  display: block; width: 100%; min-height: 48px; margin: 0 0 12px; padding: 11px 18px; font: inherit; font-weight: 600; line-height: 1.5; text-align: center;
  text-decoration: none; color: var(--accent-ink); background: var(--accent); border: 1px solid transparent; border-radius: 11px; cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-over); }
button.quiet { color: var(--ink); background: transparent; border-color: var(--edge); }
button.quiet:hover { background: var(--tint); border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.other { margin: 20px 0 0; text-align: center; }
.alert { margin: 16px 0; padding: 12px 16px; color: var(--warn); background: var(--warn-paper); border-left: 4px solid var(--warn-line); border-radius: 8px; }
.alert p { margin: 0; font-weight: 600; }
.alert ul { margin: 6px 0 0; padding-left: 20px; }
.alert a { color: inherit; }
.good { margin: 16px 0; padding: 12px 16px; background: var(--tint); border-left: 4px solid var(--accent); border-radius: 8px; }
.person { margin: 14px 0 0; padding: 12px 16px; background: var(--tint); border-radius: 11px; }
.person a { font-size: 0.9375rem; }
.scopes { list-style: none; margin: 0; padding: 0; }
.scopes li { position: relative; padding: 9px 0 9px 30px; border-top: 1px solid var(--line); }
.scopes li:first-child { border-top: 0; }
.scopes li::before { content: ""; position: absolute; left: 5px; top: 14px; width: 9px; height: 15px; border: solid var(--accent); border-width: 0 2.5px 2.5px 0; transform: rotate(42deg); }
.choices { margin: 18px 0 0; padding: 14px 0 0; border: 0; border-top: 1px solid var(--line); min-width: 0; }
legend { float: left; width: 100%; margin: 0 0 6px; }
.choice { clear: both; display: flex; gap: 10px; align-items: flex-start; }
.choice input { flex: none; width: 22px; height: 22px; margin: 10px 0 0; accent-color: var(--accent); }
.choice label { flex: 1; min-width: 0; margin: 0; padding: 8px 0; font-weight: 400; cursor: pointer; }
.choice .soft { display: block; }
.actions { margin: 24px 0 0; }
main > .hint { margin: 16px 0 0; text-align: center; }
.mock { margin: 24px 0 0; padding: 14px 0 0; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.9375rem; }
.mock summary { cursor: pointer; padding: 4px 0; border-radius: 6px; }
.mock p { margin: 8px 0 0; }
dl { margin: 20px 0 0; padding: 14px 0 0; border-top: 1px solid var(--line); font-size: 0.9375rem; }
dl > div { display: flex; gap: 12px; padding: 3px 0; }
dt { flex: 0 0 6.5em; color: var(--soft); }
dd { margin: 0; min-width: 0; }
code { font: 0.94em ui-monospace, Menlo, Consolas, monospace; }
.steps { list-style: none; margin: 20px 0; padding: 0; }
.steps li { position: relative; padding: 0 0 18px 36px; }
.steps li:last-child { padding-bottom: 0; }
.steps li::before { content: ""; position: absolute; left: 4px; top: 3px; width: 18px; height: 18px; border: 2px solid var(--edge); border-radius: 50%; background: var(--paper); }
.steps li:not(:last-child)::after { content: ""; position: absolute; left: 13px; top: 25px; bottom: -1px; border-left: 2px solid var(--line); }
.steps .done::before { background: var(--accent); border-color: var(--accent); }
.steps .now::before { border: 5px solid var(--accent); }
.steps span { display: block; color: var(--soft); font-size: 0.9375rem; }
.messages { list-style: none; margin: 20px 0; padding: 0; }
.messages li { padding: 16px 0; border-top: 1px solid var(--line); }
.messages h2 { margin: 0 0 2px; }
.messages .text { white-space: pre-wrap; margin: 10px 0 0; }
.messages .text:empty { display: none; }
html:has(.popup) { scroll-padding-bottom: 96px; }
.popup { background: var(--paper); padding: 14px 18px 24px; }
.popup header { margin-top: 0; margin-bottom: 14px; padding: 0; font-size: 0.9375rem; }
.popup header svg { width: 22px; height: 22px; }
.popup main { padding: 0; border: 0; border-radius: 0; box-shadow: none; }
.popup h1 { font-size: 1.3rem; }
.popup form { margin-top: 14px; }
.popup .field { margin-bottom: 12px; }
.popup .actions { position: sticky; bottom: 0; margin: 14px -18px 0; padding: 12px 18px; background: var(--paper); border-top: 1px solid var(--line); display: flex; flex-direction: row-reverse; gap: 12px; }
.popup .actions button { margin: 0; }
@media (max-width: 420px) { .row { grid-template-columns: 1fr; } }
@media (max-width: 480px) { .page header { margin-top: 0; } .page { padding-top: 16px; } }
@media (forced-colors: active) { .alert, .good, .person { border: 1px solid; } .steps .now::before { border-color: Highlight; } }
`;
