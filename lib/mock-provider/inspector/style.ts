import { PALETTE } from '../pages/palette.js';

/** The inspector's look: the colours of the provider's other pages. */
export const INSPECTOR_STYLE: string = `
${PALETTE}:root { --good: #17694a; --good-paper: #e6f4ec; --amber: #7d4e00; --amber-paper: #fdf3dc; --amber-line: #c98a1b; --fault: #6b3fa0; --fault-paper: #f3ecfb; --fault-line: #9a6dd0; --lane: #c4d0d6; }
@media (prefers-color-scheme: dark) {
  :root { --good: #7fd8ae; --good-paper: #14332a; --amber: #f1c878; --amber-paper: #352a14; --amber-line: #c59a43; --fault: #cdb0f5; --fault-paper: #2b2140; --fault-line: #9a78cf; --lane: #3a4d57; }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 96px; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; overflow-wrap: anywhere; }
code, pre { font: 0.92em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
p { margin: 0; }
ul, ol { list-style: none; margin: 0; padding: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 12px; top: 12px; z-index: 5; padding: 10px 14px; background: var(--paper); color: var(--accent); border-radius: 9px; }
[hidden] { display: none !important; }
.soft { color: var(--soft); font-size: 0.9rem; }

.top { position: sticky; top: 0; z-index: 3; display: flex; flex-wrap: wrap; align-items: center; gap: 8px 18px; padding: 10px clamp(14px, 2.2vw, 30px); background: var(--paper); border-bottom: 1px solid var(--line); box-shadow: 0 4px 18px rgb(10 40 50 / 5%); }
.brand { display: flex; align-items: center; gap: 10px; }
.brand svg { flex: none; }
.mark-ground { fill: var(--accent); }
.mark-sign { fill: var(--accent-ink); }
h1 { margin: 0; font-size: 1.15rem; font-weight: 650; letter-spacing: -0.01em; }
.tag { padding: 0 9px; border: 1px solid var(--edge); border-radius: 99px; color: var(--soft); font-size: 12.5px; }
.where { flex: 1; min-width: 9em; color: var(--soft); line-height: 1.35; }
.where code { display: block; }
.live { display: inline-flex; align-items: center; gap: 7px; font-size: 0.9rem; font-weight: 600; }
.live::before { content: ""; width: 9px; height: 9px; border-radius: 50%; background: var(--edge); }
.live.on { color: var(--good); }
.live.on::before { background: var(--good); }
.live.off { color: var(--warn); }
.live.off::before { background: var(--warn-line); }
.clock > div { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; }
.now { line-height: 1.25; }
.now time { display: block; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap; }
.standing { color: var(--soft); font-size: 0.85rem; }

button { min-height: 44px; white-space: nowrap; padding: 6px 14px; font: inherit; font-size: 0.92rem; font-weight: 600; color: var(--accent-ink); background: var(--accent); border: 1px solid transparent; border-radius: 10px; cursor: pointer; }
button.quiet { color: var(--ink); background: transparent; border-color: var(--edge); }
button.quiet:hover { background: var(--tint); border-color: var(--accent); }
button:active { transform: translateY(1px); }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; }
.clock .buttons { gap: 0; }
.clock .buttons button { border-radius: 0; margin-left: -1px; padding-inline: 12px; }
.clock .buttons button:first-child { border-radius: 10px 0 0 10px; margin-left: 0; }
.clock .buttons button:last-child { border-radius: 0 10px 10px 0; }
.clock .buttons button:is(:hover, :focus-visible) { position: relative; z-index: 1; }
.alert { margin: 14px clamp(14px, 2.2vw, 30px) 0; padding: 11px 16px; color: var(--warn); background: var(--warn-paper); border-left: 4px solid var(--warn-line); border-radius: 8px; font-weight: 600; }

.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(300px, 380px); gap: 22px; max-width: 1500px; margin: 0 auto; padding: 20px clamp(14px, 2.2vw, 30px) 60px; align-items: start; }
main:focus { outline: none; }
main > section + section { margin-top: 26px; }
aside { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; }
.card, .login, .empty { background: var(--paper); border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 6px 22px rgb(10 40 50 / 5%); }
.card { padding: 16px 18px; }
h2 { margin: 0 0 10px; font-size: 1rem; font-weight: 650; }
main h2 { font-size: 1.1rem; margin-left: 2px; }
h3 { margin: 0; font-size: 0.95rem; font-weight: 650; }

.badge { display: inline-block; padding: 0 9px; border-radius: 99px; font-size: 0.82rem; font-weight: 650; line-height: 1.6; white-space: nowrap; font-variant-numeric: tabular-nums; }
.badge.good { color: var(--good); background: var(--good-paper); }
.badge.bad { color: var(--warn); background: var(--warn-paper); }
.badge.wait { color: var(--amber); background: var(--amber-paper); }
.badge.fault { color: var(--fault); background: var(--fault-paper); }
.badge.plain { color: var(--soft); background: var(--ground); }

.empty { padding: clamp(20px, 4vw, 38px); }
.empty .lead { font-size: 1.25rem; font-weight: 650; margin-bottom: 8px; }
.empty p + p { margin-top: 8px; }
.login { margin-bottom: 16px; overflow: hidden; border-left: 5px solid var(--lane); }
.login.good { border-left-color: var(--accent); }
.login.bad { border-left-color: var(--warn-line); }
.login.wait { border-left-color: var(--amber-line); }
.login.fault { border-left-color: var(--fault-line); }
.title { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; padding: 14px 18px 10px; }
.title h3 { flex: 1; min-width: 12em; font-size: 1.05rem; }
.title .who { margin-left: 10px; font-weight: 400; color: var(--soft); font-size: 0.95rem; }
.title time { color: var(--soft); font-size: 0.9rem; font-variant-numeric: tabular-nums; }
.verdict { margin: 0 18px 14px; padding: 11px 15px; border-radius: 11px; }
.verdict p + p { margin-top: 5px; }
.verdict.good { padding: 0; color: var(--soft); font-size: 0.92rem; }
.verdict.bad { background: var(--warn-paper); }
.verdict.wait { background: var(--amber-paper); }
.verdict.fault { background: var(--fault-paper); }
.verdict p:first-child { font-weight: 600; }
.verdict.good p:first-child { font-weight: 400; }
.verdict.bad .reason { color: var(--warn); font-size: 1.02rem; }
.advice { margin: 0 18px 14px; padding: 0 15px; font-size: 0.93rem; }
.advice p { font-weight: 650; }
.advice ul { list-style: disc; padding-left: 18px; }
.advice li { margin-top: 3px; }
.problem .rule { font-size: 0.88rem; margin-top: 4px; font-weight: 400; }
.problem .fix { margin-top: 4px; font-weight: 400; }
.requests { border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: 10px 18px; font-weight: 600; font-size: 0.92rem; color: var(--soft); border-radius: 10px; }
summary:hover { color: var(--accent); }
.requests > .soft { padding: 0 18px; }

.sequence { position: relative; padding: 0 18px 18px; }
.lanes { position: relative; z-index: 1; display: grid; grid-template-columns: repeat(3, 1fr); padding-bottom: 6px; }
.lanes span { justify-self: center; padding: 3px 16px; background: var(--paper); border: 1px solid var(--edge); border-radius: 9px; font-size: 0.88rem; font-weight: 650; }
.steps { position: relative; padding: 4px 0 2px; background: linear-gradient(var(--lane), var(--lane)) 16.66% 0 / 2px 100% no-repeat, linear-gradient(var(--lane), var(--lane)) 50% 0 / 2px 100% no-repeat, linear-gradient(var(--lane), var(--lane)) 83.33% 0 / 2px 100% no-repeat; }
.step { position: relative; padding: 9px 0; }
.way { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.at { position: absolute; left: 0; top: 12px; width: 13.5%; color: var(--soft); font-size: 0.8rem; font-variant-numeric: tabular-nums; line-height: 1.3; }
.ask, .reply { margin: 0 16.66%; position: relative; text-align: center; }
.from-site .ask, .from-site .reply { margin-left: 50%; }
.ask { padding: 0 12px 5px; border-bottom: 2px solid var(--accent); }
.ask::after, .reply::after, .then::after { content: ""; position: absolute; bottom: -7px; border: 6px solid transparent; }
.ask::after { right: 0; border-left: 10px solid var(--accent); border-right: 0; }
.reply { padding: 6px 12px 5px; border-bottom: 2px dashed var(--edge); font-size: 0.9rem; color: var(--soft); }
.reply::after { left: 0; border-right: 10px solid var(--edge); border-left: 0; }
.ask > .what, .ask > code, .ask > .sent { background: var(--paper); padding: 0 6px; }
.what { font-weight: 600; margin-right: 2px; }
.ask code { color: var(--soft); }
.from-site .what { display: block; width: fit-content; margin: 0 auto; }
.step.bad .reply { border-bottom-color: var(--warn-line); color: var(--warn); }
.step.bad .reply::after { border-right-color: var(--warn-line); }
.step.fault .reply { border-bottom-color: var(--fault-line); color: var(--fault); }
.step.fault .reply::after { border-right-color: var(--fault-line); }
.then { position: relative; margin: 2px 50% 0 16.66%; padding: 4px 12px; border-bottom: 2px solid var(--accent); text-align: center; font-size: 0.85rem; }
.then::after { right: 0; border-left: 10px solid var(--accent); border-right: 0; }
.then code { color: var(--soft); background: var(--paper); }
.step > .problem, .struck { position: relative; margin: 9px 8% 4px; padding: 9px 14px; border-radius: 10px; font-size: 0.93rem; }
.step > .problem { background: var(--warn-paper); border: 1px solid var(--warn-line); }
.step > .problem { color: var(--warn); font-weight: 650; }
.said { padding: 0 6px; background: var(--paper); }
.struck { background: var(--fault-paper); border: 1px solid var(--fault-line); }
.struck strong { color: var(--fault); }
.sent { display: inline-block; font-size: 0.85rem; text-align: left; }
.sent[open] { display: block; margin-top: 4px; padding: 4px 10px 8px; border: 1px solid var(--line); border-radius: 9px; }
.sent summary { display: inline; padding: 0 2px; font-weight: 400; font-size: 0.85rem; text-decoration: underline dotted; text-underline-offset: 3px; }
dl { margin: 6px 0 0; font-size: 0.9rem; }
dl > div { display: flex; gap: 10px; padding: 1px 0; }
dt { flex: 0 0 7.6em; color: var(--soft); }
dd { margin: 0; min-width: 0; }
.from-site .sent dl > div { display: block; margin-top: 3px; }
.sent dt { flex: 0 0 13.5em; font-family: ui-monospace, Menlo, Consolas, monospace; font-size: 0.92em; }

.field { margin: 12px 0 0; }
.field label { display: block; font-weight: 600; margin-bottom: 4px; font-size: 0.92rem; }
input[type=search] { width: 100%; min-height: 44px; padding: 8px 12px; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 10px; }
::placeholder { color: var(--soft); opacity: 1; }
.choice { display: flex; align-items: center; gap: 9px; margin: 6px 0 8px; }
.choice input { flex: none; width: 20px; height: 20px; margin: 0; accent-color: var(--accent); }
.choice label { flex: 1; padding: 6px 0; cursor: pointer; font-size: 0.92rem; }
.scroll { max-height: 17rem; overflow-y: auto; overscroll-behavior: contain; margin: 0 -8px; padding: 0 8px; border-radius: 10px; }
.scroll h3 { position: sticky; top: 0; padding: 6px 4px; background: var(--paper); color: var(--soft); font-size: 0.82rem; letter-spacing: 0.02em; }
button.fault { display: block; white-space: normal; width: 100%; padding: 6px 10px; text-align: left; font-weight: 400; color: var(--ink); background: transparent; line-height: 1.35; }
button.fault:hover { background: var(--fault-paper); border-color: var(--fault-line); }
button.fault .name { display: block; font: 600 0.88rem/1.5 ui-monospace, Menlo, Consolas, monospace; color: var(--fault); }
.waiting li { display: flex; align-items: center; justify-content: space-between; gap: 10px; padding: 4px 4px 4px 12px; margin-bottom: 6px; background: var(--fault-paper); border: 1px solid var(--fault-line); border-radius: 11px; }
.waiting button { flex: none; }
.waiting .badge { background: var(--paper); }
.waiting .soft { color: var(--ink); }
.grants > li { padding: 12px 0; border-top: 1px solid var(--line); }
.grants > li:first-child { padding-top: 0; border-top: 0; }
.grants button { margin-top: 8px; }
.rates li { display: grid; gap: 2px; padding: 4px 0; }
meter { width: 100%; height: 14px; }
aside details { border-top: 1px solid var(--line); }
aside details:first-of-type { border-top: 0; }
aside summary { padding: 9px 2px; color: var(--ink); }
aside summary .badge { margin-left: 6px; }
aside details > :not(summary) { margin-bottom: 10px; }
aside details > :last-child { margin-bottom: 14px; }
aside dl { margin-top: 0; }
aside dt { flex-basis: 7.2em; }
.uri { display: block; }
pre { margin: 0; padding: 10px 12px; overflow-x: auto; background: var(--ground); border-radius: 10px; font-size: 0.84rem; }
.key { display: grid; gap: 8px; padding-top: 12px; border-top: 1px solid var(--line); }
.findings li { padding: 9px 0; border-top: 1px solid var(--line); }
.findings li:first-child { padding-top: 0; border-top: 0; }
noscript .alert { display: block; }

@media (max-width: 1400px) { .brand .tag { display: none; } }
@media (max-width: 980px) { .columns { grid-template-columns: minmax(0, 1fr); } }
@media (max-width: 640px) {
  .top { position: static; }
  .where { flex-basis: 100%; order: 5; }
  .clock .buttons { gap: 8px; }
  .clock .buttons button, .clock .buttons button:is(:first-child, :last-child) { border-radius: 10px; margin: 0; }
  .lanes { display: none; }
  .steps { background: none; }
  .step { padding: 12px 0; border-top: 1px solid var(--line); }
  .step:first-child { border-top: 0; }
  .way { position: static; display: block; width: auto; height: auto; clip-path: none; font-size: 0.8rem; color: var(--soft); font-weight: 600; }
  .at { position: static; display: block; width: auto; }
  .ask, .reply, .then, .from-site .ask, .from-site .reply { margin: 0; padding: 2px 0 4px; text-align: left; border: 0; }
  .reply .way { display: inline; }
  .ask::after, .reply::after, .then::after { display: none; }
  .ask > .what, .ask > code, .ask > .sent, .said { padding: 0; }
  .said { margin-left: 6px; }
  .from-site .what { display: inline; }
  .ask > code { margin-left: 8px; }
  .ask > .sent { margin-left: 8px; }
  .sent dt { flex-basis: 11em; }
  .sent[open] { margin-left: 0; padding: 4px 10px 8px; }
  .step > .problem, .struck { margin: 8px 0; }
}
@media (forced-colors: active) { .badge, .verdict { border: 1px solid; } .steps { background: none; } }
`;
