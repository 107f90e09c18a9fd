// What the pictures share: pages as documents that need no server, windows around them, and terminals.

export const escapeHTML = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Replaces the free ports of a site and of a provider, so that each run shows the same ones. */
export function withPorts(text, provider, site = 'http://127.0.0.1:3000') {
  return text.replaceAll(new URL(provider).host, '127.0.0.1:4400').replaceAll(new URL(site).host, '127.0.0.1:3000');
}

/**
 * @param load returns the text of a path
 * @returns a page with its style sheets and images, without its scripts, and without the values that are random
 */
export async function standalone(html, load) {
  let page = html
    .replaceAll(/<(script|noscript)\b[\s\S]*?<\/\1>/g, '')
    .replaceAll(/<(?:meta http-equiv|link rel="icon"|input type="hidden")[^>]*>| autofocus\b/g, '');
  for (const [link, path] of page.matchAll(/<link rel="stylesheet" href="([^"]+)">/g)) {
    const css = await load(path);
    page = page.replace(link, () => `<style>${css}</style>`);
  }
  for (const [source, path] of page.matchAll(/src="(\/[^"]+)"/g))
    page = page.replace(source, `src="data:image/svg+xml,${encodeURIComponent(await load(path))}"`);
  return page.replaceAll(/ (href|action)="[^"]*"/g, ' $1="#"');
}

const STYLE = `
  :root { color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif; --line: light-dark(#c6cfd6, #414c54); }
  body { margin: 0; }
  .window { box-sizing: border-box; height: 100vh; display: flex; flex-direction: column; overflow: hidden;
    border: 1px solid var(--line); border-radius: 10px; background: light-dark(#fff, #10171b); }
  .bar { display: flex; align-items: center; gap: 8px; padding: 9px 14px; border-bottom: 1px solid var(--line);
    background: light-dark(#edf1f4, #232b31); color: light-dark(#45525b, #b6c2ca); }
  .bar i { width: 11px; height: 11px; border-radius: 50%; background: var(--line); }
  .bar span { flex: 1; padding: 2px 14px; border-radius: 7px; background: light-dark(#fff, #10171b); }
  iframe { flex: 1; border: 0; }`;

export function documentOf(body, style = '') {
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}${style}</style>${body}`;
}

/** @returns a window, whose bar shows the address of a page. */
export function windowOf(address, content) {
  const bar = `<div class="bar"><i></i><i></i><i></i><span>${escapeHTML(address)}</span></div>`;
  return documentOf(`<div class="window">${bar}${content}</div>`);
}

const WITHOUT_SCROLLBAR = '<style>:root { scrollbar-width: none; scrollbar-gutter: auto; }</style>';
export const frameOf = (html) => `<iframe srcdoc="${escapeHTML(html + WITHOUT_SCROLLBAR)}"></iframe>`;

const FONT = 'ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace';
const COLUMNS = 112;
const LINE_PX = 19;
const RED = '#ff9b94';
/** The colors of the first word of a line. */
const COLORS = { $: '#8fd8ec', ok: '#8ce0a4', warning: '#f3cf74', problem: RED, FAIL: RED, 'Cause:': RED };

/** @returns the text of a terminal as a picture. */
export function terminalSVG(text) {
  const wrapped = new RegExp(`.{1,${COLUMNS}}(?=\\s|$)|.{1,${COLUMNS}}`, 'g');
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => line.match(wrapped) ?? ['']);
  const rows = lines.map((line, index) => {
    const colored = (word) => (COLORS[word] ? `<tspan fill="${COLORS[word]}">${word}</tspan>` : word);
    // An image of a document shows several spaces as one.
    const row = escapeHTML(line)
      .replace(/\S+/, colored)
      .replaceAll(/(?<=^| ) /g, '\u00a0');
    return `<text x="20" y="${index * LINE_PX + 30}">${row.replaceAll(/[^ -~]/gu, (c) => `&#${c.codePointAt()};`)}</text>`;
  });
  const size = [985, lines.length * LINE_PX + 36];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size.join(' ')}">
<title>${escapeHTML(lines[0])}</title>
<rect width="100%" height="100%" rx="10" fill="#10171b"/>
<g font-family="${FONT}" font-size="14" fill="#dfe7eb">
${rows.join('\n')}
</g>
</svg>
`;
}
