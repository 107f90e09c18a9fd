/** The options of MiniSearch. The browser runs `boostDocument`: it uses nothing else of this file. */
export const searchOptions = {
  // A page with any of the words: first those with more of them.
  combineWith: 'OR',
  fuzzy: 0.2,
  prefix: true,
  // "out" finds "Outages" too, but after each "out".
  weights: { prefix: 0.2, fuzzy: 0.1 },
  // A page about a word is before a page that only uses it often.
  boost: { title: 20, titles: 4, text: 1 },
  // The guides first, and a page before its sections.
  boostDocument(path, _term, { titles }) {
    const isGuide = /\/docs\/(?:start|use|test|operate)\//.test(path);
    const isReference = /\/docs\/(?:reference\/|assurance\/security)/.test(path);
    const section = isGuide ? 20 : isReference ? 5 : /\/decisions/.test(path) ? 0.5 : 1;
    return section * (titles.length === 0 ? 5 : 1);
  },
};
