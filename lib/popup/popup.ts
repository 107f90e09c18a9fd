import type { LoginMode } from '../express/login-modes.js';
import { sendPage } from '../express/responses.js';
import { html, linkTarget } from '../html/escape.js';
import { embed, type Page, type PageLook, page } from '../html/page.js';
import { paragraph } from '../html/texts.js';
import type { Visit } from '../session/visit.js';
import clientScript from './browser/open-popup.js?text';
import script from './browser/popup-page.js?text';

/** The part of the client script that opens the popup, for the pages of the site. @internal */
export const popupClientScript: string = clientScript;

/** Shows the end of a login with `display: 'popup'`. @internal */
export class Popup implements LoginMode {
  readonly #look: PageLook;

  constructor(look: PageLook) {
    this.#look = look;
  }

  /** The last page names its `returnTo` to the pages of this site: none of them waits for the popup of another site. */
  returnTo(visit: Visit, returnTo: string): string {
    return visit.isOwnNavigation ? returnTo : '/';
  }

  show(visit: Visit, returnTo: string): void {
    sendPage(visit, 200, popupPage(this.#look, returnTo));
  }
}

const PAGE_SCRIPT = embed('script', script);

/**
 * @param returnTo the page that the sign-in was started for: for a browser that does not close the popup
 * @returns the last page of a sign-in in a popup: its script notifies the page that opened the popup, and closes it
 */
export function popupPage(look: PageLook, returnTo: string): Page {
  const { home, texts } = look;
  return page(look, {
    title: texts.signedInTitle,
    body: html`<div data-clinician-popup="signed-in" data-return-to="${linkTarget(returnTo, home)}"></div>
${paragraph(texts.popupText)}`,
    actions: [{ label: texts.continue, href: returnTo }],
    script: PAGE_SCRIPT,
    directives: { 'form-action': "'none'" },
  });
}
