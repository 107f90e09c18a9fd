/** One fenced code block of a Markdown file. */
export interface Snippet {
  file: string;
  /** The line of its first line of code, counted from 1. */
  line: number;
  language: string;
  /** The flags after the language: `continued` means that the block continues the previous one. `signature` is a declaration of the API. */
  flags: readonly string[];
  code: string;
}

/** @returns the fenced code blocks of a Markdown text, in order. */
export function snippetsOf(file: string, markdown: string): Snippet[] {
  const found: Snippet[] = [];
  let open: { fence: string; snippet: Snippet } | undefined;
  for (const [index, text] of markdown.split('\n').entries()) {
    const mark = /^\s*(`{3,})\s*([^`]*)$/.exec(text);
    if (open && mark?.[1] === open.fence && mark[2] === '') {
      found.push(open.snippet);
      open = undefined;
    } else if (open) {
      open.snippet.code += `${text}\n`;
    } else if (mark) {
      const [language = '', ...flags] = (mark[2] ?? '').trim().split(/\s+/);
      open = { fence: mark[1] ?? '', snippet: { file, line: index + 2, language, flags, code: '' } };
    }
  }
  if (open) throw new Error(`${file}: the code block of line ${open.snippet.line} is not closed`);
  return found;
}

/** A file to compile. Its code has the line numbers of the document, so that compiler errors name them. */
export interface Module {
  name: string;
  code: string;
}

const EXTENSIONS: Readonly<Record<string, string>> = { ts: 'mts', typescript: 'mts', js: 'mjs', javascript: 'mjs' };

function extensionOf(snippet: Snippet): string | undefined {
  // A complete file of the repository, or a declaration of it, which is compiled there.
  if (snippet.flags.some((flag) => flag.startsWith('file=') || flag === 'signature')) return undefined;
  const found = EXTENSIONS[snippet.language];
  return found && /\brequire\(/.test(snippet.code) ? found.replace('m', 'c') : found;
}

function appendAtLine(code: string, line: number, snippet: string): string {
  return code + '\n'.repeat(Math.max(0, line - 1 - (code.split('\n').length - 1))) + snippet;
}

/** @returns one module for each TypeScript and JavaScript block, with the previous code where a block continues it. */
export function modulesOf(snippets: readonly Snippet[]): Module[] {
  const modules: Module[] = [];
  for (const snippet of snippets) {
    const extension = extensionOf(snippet);
    if (!extension) continue;
    const last = modules.at(-1);
    const continues = snippet.flags.includes('continued') && last !== undefined;
    const name = `${snippet.file.replaceAll('/', '.')}.${snippet.line}.${continues ? last.name.split('.').at(-1) : extension}`;
    modules.push({ name, code: appendAtLine(continues ? last.code : '', snippet.line, snippet.code) });
  }
  return modules;
}
