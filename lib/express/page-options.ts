import type { PageLook } from '../html/page.js';
import { type CompleteTexts, ENGLISH, placeholdersOf } from '../html/texts.js';
import { isLoopbackHost } from '../http/url.js';
import { checkOptions } from '../options/option-table.js';
import type { Site } from '../options/site.js';
import type { OptionTable, Problem, Schema } from '../schema.js';

/**
 * The texts of the pages and buttons, by name. Each is optional, and English by default. Values are text, not HTML. You can use
 * `{name}` if the default text has it. In a paragraph, `*a part between asterisks*` is emphasized.
 */
export type Texts = { readonly [Name in keyof CompleteTexts]?: string | undefined };

const required: Schema<string> = {
  type: 'a string that is not empty',
  isValid: (value) => typeof value === 'string' && value.trim() !== '',
};

const textRules = Object.fromEntries(
  Object.entries(ENGLISH).map(([name, english]) => [
    name,
    { ...required, default: english, check: (text: string) => placeholderProblem(text, english) },
  ]),
) as OptionTable<Texts>;

function placeholderProblem(text: string, english: string): Problem | undefined {
  const known = placeholdersOf(english);
  const unknown = placeholdersOf(text).find((name) => !known.includes(name));
  if (unknown === undefined) return undefined;
  const fix =
    known.length === 0 ? 'This text has none' : `This text has ${known.map((name) => `{${name}}`).join(', ')}`;
  return `has the unknown placeholder {${unknown.slice(0, 100)}}. ${fix}.`;
}

const languageRule: Schema<string> = {
  ...required,
  type: "a language tag such as 'de' or 'pt-BR'",
  default: ENGLISH.lang,
  check: (tag) => (isLanguageTag(tag) ? undefined : "must be a language tag such as 'de' or 'pt-BR'."),
};

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Your name, logo and style sheet on the pages that this package shows. */
export interface PagesOptions {
  /** The name of the site, at the top of each page and in its title. @default the host of `callbackURL` */
  siteName?: string | undefined;
  /** The logo beside the name: a path of your site, or an https URL. @default a stethoscope */
  logoURL?: string | undefined;
  /** Your style sheet, loaded after this package's: a path of your site, or an https URL. @default none */
  stylesheet?: string | undefined;
}

const file: Schema<string> = {
  type: "a path of your site such as '/logo.svg', or an https URL",
  isValid: (value) => typeof value === 'string',
  check: fileProblem,
};

/** A browser reads `//x` and `/\x` as another host. */
const PATH = /^\/(?![/\\])[^\s\\]*$/;

function fileProblem(address: string): Problem | undefined {
  const isOwn = PATH.test(address) && URL.canParse(address, 'https://site.invalid');
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSecure = url?.protocol === 'https:' && /^https:\/\//i.test(address) && !url.username && !url.password;
  if (isOwn || isSecure) return undefined;
  return `must be ${file.type}, without a user name or a password.`;
}

const pageRules: OptionTable<PagesOptions> = {
  siteName: { ...required, type: "a string such as 'Example Hospital'" },
  logoURL: file,
  stylesheet: file,
};

/** @returns the look of the pages. Throws a {@link ConfigurationError} for a wrong name, placeholder or address. @internal */
export function resolveLook(
  options: { pages?: PagesOptions | undefined; texts?: Texts | undefined },
  site: Pick<Site, 'origin' | 'routes' | 'issuer' | 'isDevelopment'>,
): PageLook {
  const { origin, routes } = site;
  const { host } = new URL(origin);
  const { siteName = host, logoURL, stylesheet } = checkOptions(options.pages, pageRules, "option 'pages'");
  const rules = { ...textRules, lang: languageRule };
  const texts = checkOptions<Texts>(options.texts, rules, "option 'texts'") as CompleteTexts;
  return Object.freeze({
    siteName,
    logoURL,
    siteStylesheet: stylesheet,
    texts,
    home: `${routes.basePath}/`,
    logout: routes.logout || undefined,
    inspector: inspectorOf(site),
    stylesheet: routes.stylesheet || undefined,
  });
}

/** @returns the inspector of a mock provider, which is a local issuer; those of other servers have a path. */
function inspectorOf({ issuer, isDevelopment }: Pick<Site, 'issuer' | 'isDevelopment'>): string | undefined {
  const { hostname, pathname, origin } = new URL(issuer);
  const isMock = isDevelopment && isLoopbackHost(hostname) && pathname === '/';
  return isMock ? `${origin}/_mock/inspector` : undefined;
}
