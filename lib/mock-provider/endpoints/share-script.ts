import { type Answer, answerDocument, staticDocument } from '../answer.js';
import type { House } from '../house.js';
import { SHARE_BUTTON_SCRIPT } from '../pages/share-button-script.js';
import type { MockRequest } from '../request.js';

const script = staticDocument(SHARE_BUTTON_SCRIPT, {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'public, max-age=300',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'cross-origin',
});

/** GET /share-button.js (decision 101): no cookies, the same bytes for everybody. */
export function shareScript(_house: House, { headers }: MockRequest): Answer {
  return answerDocument(script, headers['if-none-match']);
}
