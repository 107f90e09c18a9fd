import { type ButtonLook, type ShareButtonOptions, shareButton, signInButton, signOutButton } from '../html/buttons.js';
import type { PageLook } from '../html/page.js';
import { anything, checkOptions, optionError } from '../options/option-table.js';
import type { Site } from '../options/site.js';
import { type OptionTable, oneOf, text } from '../schema.js';
import { type LinkOptions, linkOptionRules, linkQuery } from '../sign-in/login-request.js';
import type { SitePaths } from './paths.js';

/** The options of `clinician.signInButton()`: its look, and the options of the login. */
export interface SignInButtonOptions extends ButtonLook, LinkOptions {}

/** The options of `clinician.signOutButton()`. */
export interface SignOutButtonOptions extends ButtonLook {}

const buttonOptions: OptionTable<ButtonLook> = {
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

/** The members of the drop-in that create HTML for the site's pages. */
export interface Buttons {
  /** @returns the sign-in button as HTML, escaped. Put `stylesheetURL` in the page's head. */
  signInButton(options?: SignInButtonOptions): string;
  /**
   * @returns the sign-out button as HTML, escaped: a form that posts to the logout route. Throws a {@link ConfigurationError} if
   * that route is left out.
   */
  signOutButton(options?: SignOutButtonOptions): string;
  /**
   * @returns the share button as HTML, escaped. It opens a new message in the service's inbox (spec, "Share button markup").
   * Needs `apiURL`. With `shareScriptURL`, add the client script to the page: if the service's script does not load, it adds the
   * values to the link.
   */
  shareButton(options: ShareButtonOptions): string;
}

export function createButtons(
  site: Site,
  { texts }: PageLook,
  paths: SitePaths,
  scriptURL: string | undefined,
): Buttons {
  const { routes, apiURL } = site;
  return {
    signInButton(passed) {
      const checked = checkOptions(passed, signInButtonOptions, 'signInButton()');
      const { label = texts.signIn, theme, size, variant, returnTo = '/', display, ...login } = checked;
      const href = paths.login(returnTo, linkQuery(login, site));
      if (href === undefined) throw routeLeftOut('signInButton()', 'login');
      return signInButton({ label, theme, size, variant }, href, display);
    },
    signOutButton(passed) {
      const { label = texts.signOut, ...look } = checkOptions(passed, buttonOptions, 'signOutButton()');
      if (routes.logout === false) throw routeLeftOut('signOutButton()', 'logout');
      return signOutButton({ label, ...look }, routes.logout);
    },
    shareButton(passed) {
      const { label, ...share } = checkOptions(passed, shareButtonOptions, 'shareButton()');
      if (apiURL === undefined) throw optionError('apiURL', 'shareButton() needs option apiURL.');
      return shareButton({ label: label ?? texts.share, ...share }, { apiURL, scriptURL });
    },
  };
}

function routeLeftOut(call: string, name: 'login' | 'logout'): Error {
  return optionError(`routes.${name}`, `${call} needs the route that routes.${name}: false leaves out.`);
}
