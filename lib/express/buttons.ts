import {
  type ShareButtonHTMLOptions,
  type SignInButtonHTMLOptions,
  type SignOutButtonHTMLOptions,
  shareButton,
  signInButton,
  signOutButton,
} from '../html/buttons.js';
import { anything, checkOptions, type OptionTable, oneOf, optionError, text } from '../options/option-table.js';
import { type LinkOptions, linkOptionRules, linkQuery } from '../sign-in/login-request.js';
import type { ResolvedLoginOptions } from './login-options.js';
import type { SitePaths } from './paths.js';

/** The options of `clinician.signInButton()`: its look, and the options of the login. */
export interface SignInButtonOptions extends Omit<SignInButtonHTMLOptions, 'href' | 'display'>, LinkOptions {}

/** The options of `clinician.signOutButton()`. */
export interface SignOutButtonOptions extends Omit<SignOutButtonHTMLOptions, 'action'> {}

/** The options of `clinician.shareButton()`. */
export interface ShareButtonOptions extends Omit<ShareButtonHTMLOptions, 'apiURL' | 'scriptURL'> {}

const buttonOptions: OptionTable<SignOutButtonOptions> = {
  label: text,
  theme: oneOf('light', 'dark', 'auto'),
  size: oneOf('small', 'medium', 'large'),
  variant: oneOf('solid', 'outline'),
};

const signInButtonOptions: OptionTable<SignInButtonOptions> = { ...linkOptionRules, ...buttonOptions };

/** Texts of a message may come from the data of the site: null is left out. */
const optionalText = { type: 'a string', isValid: (value: unknown) => value === null || text.isValid(value) };

const shareButtonOptions: OptionTable<ShareButtonOptions> = {
  url: anything,
  message: optionalText,
  subject: optionalText,
  label: optionalText,
};

function routeLeftOut(call: string, name: 'login' | 'logout'): Error {
  return optionError('routes', `${call} needs the route that is left out by routes.${name}: false.`);
}

/** @returns the members that create HTML for the site's pages. */
export function createButtons(options: ResolvedLoginOptions, paths: SitePaths) {
  const { site, look, shareScriptURL } = options;
  const { routes, apiURL } = site;
  const { texts } = look;

  return {
    signInButton(passed?: SignInButtonOptions): string {
      const checked = checkOptions(passed, signInButtonOptions, 'signInButton()');
      const { label = texts.signIn, theme, size, variant, returnTo = '/', display, ...login } = checked;
      const href = paths.login(returnTo, linkQuery(login, site));
      if (href === undefined) throw routeLeftOut('signInButton()', 'login');
      return signInButton({ label, theme, size, variant, display, href });
    },
    signOutButton(passed?: SignOutButtonOptions): string {
      const checked = checkOptions(passed, buttonOptions, 'signOutButton()');
      if (routes.logout !== false) return signOutButton({ label: texts.signOut, ...checked, action: routes.logout });
      throw routeLeftOut('signOutButton()', 'logout');
    },
    shareButton(shareOptions: ShareButtonOptions): string {
      const share = checkOptions(shareOptions, shareButtonOptions, 'shareButton()');
      return shareButton({ label: texts.share, ...share, apiURL: apiURL ?? '', scriptURL: shareScriptURL });
    },
  };
}
