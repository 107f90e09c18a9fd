import { PAGE_PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { documentResponse, type ProviderResponse, type StaticDocument, staticDocument } from '../http/response.js';
import pageStyle from '../pages/browser/pages.css?text';
import shareButton from '../pages/browser/share-button.js?text';
import { LOGO_FILE } from '../pages/logo.js';
import type { Route } from '../protocol/endpoint.js';

function file(type: string, text: string, headers: Record<string, string> = {}): Route {
  let document: StaticDocument | undefined;
  function get(http: MockRequest): ProviderResponse {
    document ??= staticDocument(text, {
      'Content-Type': type,
      'Cache-Control': 'public, max-age=300',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    });
    return documentResponse(document, http.ifNoneMatch);
  }

  return { GET: get, head: true };
}

const CROSS_ORIGIN = { 'Cross-Origin-Resource-Policy': 'cross-origin' };
/** The photo of every clinician. */
const PHOTO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><path fill="#cfd8dc" d="M0 0h96v96H0z"/><path fill="#607d8b" d="M12 96a36 36 0 0 1 72 0zM30 36a18 18 0 0 1 36 0 18 18 0 0 1-36 0z"/></svg>';

/** The style and the icon of the pages, the photo, and the script of the share button. */
export const STATIC_FILES: readonly (readonly [path: string, Route])[] = [
  [PAGE_PATHS.style, file('text/css; charset=utf-8', pageStyle)],
  [PAGE_PATHS.logo, file('image/svg+xml', LOGO_FILE)],
  [PAGE_PATHS.photo, file('image/svg+xml', PHOTO, CROSS_ORIGIN)],
  [PAGE_PATHS.shareScript, file('text/javascript; charset=utf-8', shareButton, CROSS_ORIGIN)],
];
