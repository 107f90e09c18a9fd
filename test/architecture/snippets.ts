/** One fenced code block of a Markdown file. */
export interface Snippet {
  file: string;
  /** The line of its first line of code, counted from 1. */
  line: number;
  language: string;
  /** The words after the language: `continued` means that the block goes on where the one before it stopped. */
  words: readonly string[];
  code: string;
}

/** @returns the fenced code blocks of a Markdown text, in their order. */
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
      const [language = '', ...words] = (mark[2] ?? '').trim().split(/\s+/);
      open = { fence: mark[1] ?? '', snippet: { file, line: index + 2, language, words, code: '' } };
    }
  }
  if (open) throw new Error(`${file}: the code block of line ${open.snippet.line} is never closed`);
  return found;
}

/** A file to compile: every block stands on the line that it has in the document, so that the compiler's words fit both. */
export interface Module {
  name: string;
  code: string;
}

const ENDINGS: Readonly<Record<string, string>> = { ts: 'mts', typescript: 'mts', js: 'mjs', javascript: 'mjs' };

function ending(snippet: Snippet): string | undefined {
  // A file of the repository, shown whole: it runs where it is.
  if (snippet.words.some((word) => word.startsWith('file='))) return undefined;
  const found = ENDINGS[snippet.language];
  return found && /\brequire\(/.test(snippet.code) ? found.replace('m', 'c') : found;
}

function below(code: string, line: number, snippet: string): string {
  return code + '\n'.repeat(Math.max(0, line - 1 - (code.split('\n').length - 1))) + snippet;
}

/** @returns the modules that a document's TypeScript and JavaScript blocks make: one a block, longer where blocks continue. */
export function modulesOf(snippets: readonly Snippet[]): Module[] {
  const modules: Module[] = [];
  for (const snippet of snippets) {
    const end = ending(snippet);
    if (!end) continue;
    const last = modules.at(-1);
    const goesOn = snippet.words.includes('continued') && last !== undefined;
    const name = `${snippet.file.replaceAll('/', '.')}.${snippet.line}.${goesOn ? last.name.split('.').at(-1) : end}`;
    modules.push({ name, code: below(goesOn ? last.code : '', snippet.line, snippet.code) });
  }
  return modules;
}
