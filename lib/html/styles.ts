/** The text of the one stylesheet: the sign-in button anywhere, and the pages of this package. Every class begins with `clinician-`. */
export const styles: string = `
.clinician-button {
  box-sizing: border-box;
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 0.625rem;
  max-width: 100%;
  min-height: 48px;
  padding: 0.625rem 1.375rem;
  border: 1px solid transparent;
  border-radius: 0.625rem;
  font: 600 1rem/1.25 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
  -webkit-tap-highlight-color: transparent;
  transition: background-color 0.15s, box-shadow 0.15s, transform 0.05s;
}
.clinician-button-small { min-height: 44px; padding: 0.5rem 1.125rem; font-size: 0.9375rem; }
.clinician-button-large { min-height: 56px; padding: 0.75rem 1.75rem; font-size: 1.125rem; }
.clinician-button .clinician-mark { flex: none; width: 1.4em; height: 1.4em; }

.clinician-button-light, .clinician-button-auto { --face: #0b5c73; --over: #094b5e; --down: #073b4a; --ink: #fff; --ring: #0b5c73; }
.clinician-button-dark { --face: #8fd8ec; --over: #a9e3f2; --down: #74c6dd; --ink: #04242e; --ring: #8fd8ec; }
@media (prefers-color-scheme: dark) {
  .clinician-button-auto { --face: #8fd8ec; --over: #a9e3f2; --down: #74c6dd; --ink: #04242e; --ring: #8fd8ec; }
}
/* any-link: heavier than what a site says of its links */
.clinician-button:any-link { background-color: var(--face); color: var(--ink); box-shadow: 0 1px 2px rgb(0 0 0 / 0.18); text-decoration: none; }
.clinician-button:any-link:hover { background-color: var(--over); box-shadow: 0 2px 6px rgb(0 0 0 / 0.22); }
.clinician-button:any-link:active { background-color: var(--down); box-shadow: none; transform: translateY(1px); }
.clinician-button:any-link:focus-visible { outline: 3px solid var(--ring); outline-offset: 3px; }

.clinician-share-button {
  box-sizing: border-box;
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-width: 140pt;
  min-height: 30pt;
  padding: 0 0.875rem;
  border: 1px solid currentColor;
  border-radius: 0.5rem;
  font: 600 0.9375rem/1.25 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  text-decoration: none;
}
.clinician-share-button:any-link { color: #0b5c73; background-color: #fff; }
.clinician-share-button:any-link:hover { background-color: #eef4f6; }
.clinician-share-button:any-link:focus-visible { outline: 3px solid #0b5c73; outline-offset: 3px; }

.clinician-page {
  --ground: #eef4f6; --card: #fff; --text: #16262c; --quiet: #4b5d64; --line: #d5e0e4; --link: #0b5c73;
  color-scheme: light dark;
  box-sizing: border-box;
  min-height: 100vh;
  margin: 0;
  padding: 1.25rem;
  background: var(--ground);
  color: var(--text);
  font: 1.0625rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
}
@media (prefers-color-scheme: dark) {
  .clinician-page { --ground: #0e171a; --card: #17242a; --text: #e6eff2; --quiet: #a5b7be; --line: #2b3d44; --link: #8fd8ec; }
}
.clinician-page header, .clinician-card { max-width: 34rem; margin-inline: auto; }
.clinician-home {
  display: inline-flex;
  align-items: center;
  gap: 0.5rem;
  min-height: 44px;
  color: var(--link);
  font-weight: 600;
  text-decoration: none;
}
.clinician-home:hover { text-decoration: underline; }
.clinician-card {
  box-sizing: border-box;
  margin-top: clamp(0.75rem, 8vh, 5rem);
  padding: clamp(1.5rem, 6vw, 2.75rem);
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 1rem;
  box-shadow: 0 8px 30px rgb(10 40 50 / 0.07);
  overflow-wrap: anywhere;
}
.clinician-card h1 { margin: 0 0 0.75rem; font-size: clamp(1.5rem, 5vw, 1.875rem); line-height: 1.25; text-wrap: balance; }
.clinician-card p { margin: 0 0 1rem; }
.clinician-card > .clinician-button { margin-top: 0.5rem; }
.clinician-card .clinician-other { margin: 1.25rem 0 0; }
.clinician-card .clinician-other a { display: inline-block; padding-block: 0.375rem; color: var(--link); }
.clinician-card .clinician-note { color: var(--quiet); font-size: 0.9375rem; }
.clinician-card .clinician-said { padding: 0.125rem 0 0.125rem 0.875rem; border-left: 4px solid var(--line); }
.clinician-card .clinician-note:has(+ .clinician-said) { margin-bottom: 0.25rem; }
.clinician-card .clinician-note:last-child { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
.clinician-page a:not(.clinician-button):focus-visible { outline: 3px solid var(--link); outline-offset: 3px; border-radius: 4px; }
@media (max-width: 30rem) {
  .clinician-card > .clinician-button { width: 100%; }
  .clinician-other { text-align: center; }
}
@media (prefers-reduced-motion: reduce) {
  .clinician-button { transition: none; }
  .clinician-button:any-link:active { transform: none; }
}
@media (forced-colors: active) {
  .clinician-button { border-color: LinkText; }
}
`;
