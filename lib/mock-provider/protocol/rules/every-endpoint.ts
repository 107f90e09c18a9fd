/** The rules of every endpoint. */
export const EVERY_ENDPOINT_RULES = {
  'path-known': {
    rule: 'An unknown path gets 404.',
    source: 'RFC 9110 section 15.5.5',
    fix: 'Read the path in the metadata or in the service specification.',
  },
  'path-at-its-address': {
    rule: 'With the option apiPort the resource API and the inbox have their own address, and only there; it has no other endpoint.',
    source: 'service spec: resource API',
    fix: 'Send requests for /api and the inbox to apiURL, and all others to the issuer.',
  },
  'method-allowed': {
    rule: 'A method that the path does not have gets 405 and an Allow header.',
    source: 'RFC 9110 section 15.5.6',
    fix: 'Use a method of the Allow header.',
  },
  'body-size-limited': {
    rule: 'A body above 100,000 bytes gets 413.',
    source: 'RFC 9110 section 15.5.14',
    fix: 'Send a body of at most 100,000 bytes.',
  },
  'parameters-well-formed': {
    rule: 'The query and a form are well-formed; otherwise the authorization endpoint shows a page and redirects nothing.',
    source: 'RFC 6749 appendix B',
    fix: 'Encode each parameter with encodeURIComponent or URLSearchParams.',
  },
  'parameter-sent-once': {
    rule: 'Each parameter is sent once; for client_id and redirect_uri a page shows the error, for state the error has no state.',
    source: 'RFC 6749 section 3.1',
    fix: 'Send each parameter once: set it where you append it.',
  },
  'body-is-text': {
    rule: 'A body that is not UTF-8 text gets 400.',
    source: 'RFC 6749 appendix B',
    fix: 'POST application/x-www-form-urlencoded in UTF-8.',
  },
};
