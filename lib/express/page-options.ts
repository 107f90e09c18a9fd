import { type CompleteTexts, ENGLISH, placeholdersOf } from '../html/texts.js';
import { checkOptions, type OptionProblem, type OptionRule, type OptionTable } from '../options/option-table.js';

/**
 * The texts of the pages and buttons, by name: each is optional, and English by default. Values are text, not HTML. `{name}` is
 * replaced where the default text has it, and `*a part between asterisks*` is emphasized in a paragraph.
 */
export type Texts = { readonly [Name in keyof CompleteTexts]?: string | undefined };

const required: Pick<OptionRule<string>, 'type' | 'isValid'> = {
  type: 'a string that is not empty',
  isValid: (value) => typeof value === 'string' && value.trim() !== '',
};

const textRules = Object.fromEntries(
  Object.entries(ENGLISH).map(([name, english]) => [
    name,
    { ...required, default: english, check: (text: string) => placeholderProblem(text, english) },
  ]),
) as OptionTable<Texts>;

function placeholderProblem(text: string, english: string): OptionProblem | undefined {
  const known = placeholdersOf(english);
  const unknown = placeholdersOf(text).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const fix =
    known.length === 0 ? 'This text has none' : `This text has ${known.map((name) => `{${name}}`).join(', ')}`;
  return { code: 'option_invalid', phrase: `has the unknown placeholder {${unknown.slice(0, 100)}}. ${fix}.` };
}

const languageRule: OptionRule<string> = {
  ...required,
  type: "a language tag such as 'de' or 'pt-BR'",
  default: ENGLISH.lang,
  check: (tag) =>
    isLanguageTag(tag)
      ? undefined
      : { code: 'option_invalid', phrase: "must be a language tag such as 'de' or 'pt-BR'." },
};

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

interface LookOptions {
  siteName?: string | undefined;
  texts?: Texts | undefined;
}

/** What the site sets of the look of this package's pages. @internal */
export interface PageLook {
  siteName: string;
  texts: CompleteTexts;
}

/** @returns the look of the pages. Throws a {@link ConfigurationError} for an unknown text and for an unknown placeholder. @internal */
export function resolveLook({ siteName, texts }: LookOptions, host: string): PageLook {
  const rules = { ...textRules, lang: languageRule };
  return { siteName: siteName ?? host, texts: checkOptions<Texts>(texts, rules, "option 'texts'") as CompleteTexts };
}
