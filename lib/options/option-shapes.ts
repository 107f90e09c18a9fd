import { failOption } from './option-names.js';

type Shape = [fits: (value: unknown) => boolean, words: string];

const isText = (value: unknown): boolean => typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const has = (method: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && typeof (value as Record<string, unknown>)[method] === 'function';

/** The longest wait in milliseconds that makes sense: a timer of more than 2^31 would end at once. */
const LONGEST_TIMEOUT = 600_000;

/** What an option must be like, where that is all there is to check. */
const SHAPES: Readonly<Record<string, Shape>> = {
  apiURL: [isText, 'a string'],
  shareScriptURL: [isText, 'a string'],
  ca: [isText, 'a string: the certificate in PEM'],
  scope: [
    (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
    "a string such as 'openid basic', or an array of strings",
  ],
  allowedEndpointOrigins: [
    (value) =>
      Array.isArray(value) && value.every((one) => isText(one) && URL.canParse(one) && new URL(one).origin === one),
    'an array of origins such as https://keys.service.example, without a path or a final slash',
  ],
  timeout: [
    (value) => typeof value === 'number' && value > 0 && value <= LONGEST_TIMEOUT,
    `a number of milliseconds above 0, and ${LONGEST_TIMEOUT} at most`,
  ],
  fetch: [isFunction, 'a function such as the built-in fetch'],
  clock: [has('now'), 'an object with a now() function'],
  siteName: [(value) => isText(value) && value !== '', "a string such as 'Example Hospital'"],
  tokenStore: [has('get'), 'a token store, such as new MemoryTokenStore()'],
  onSignIn: [isFunction, 'a function'],
  onError: [isFunction, 'a function'],
  onEvent: [isFunction, 'a function'],
  postLogoutRedirectURI: [(value) => isText(value) || value === false, 'a string, or false'],
  routes: [(value) => typeof value === 'object' && value !== null, 'an object such as { login: "/sign-in" }'],
};

/** Throws a sentence for an option that is not even of the right kind. @internal */
export function checkShapes(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || !Object.hasOwn(SHAPES, name)) continue;
    const [fits, words] = SHAPES[name] as Shape;
    if (!fits(value)) failOption('option_invalid', `option '${name}' must be ${words}.`);
  }
}
