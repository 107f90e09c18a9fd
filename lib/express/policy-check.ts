import type { ServerResponse } from 'node:http';
import type { Events } from '../events/events.js';

/** Names the directives that the site's pages need for parts of this package. */
type Directive = 'form-action' | 'frame-src' | 'script-src';

/** The directives that apply in place of one that a policy does not have (CSP Level 3 section 6.8.3). */
const FALLBACKS: Readonly<Record<Directive, readonly string[]>> = {
  'form-action': ['form-action'],
  'frame-src': ['frame-src', 'child-src', 'default-src'],
  'script-src': ['script-src-elem', 'script-src', 'default-src'],
};
const HOST_SOURCE = /^(?:(https?):\/\/)?(\*\.)?([^/:*]+)(?::(\d+|\*))?(?:\/|$)/;

/** @returns the sources of a policy for a directive; undefined if it allows all. */
function sourcesOf(policy: string, directive: Directive): string[] | undefined {
  const entries = policy.split(';').map((text) => text.trim().toLowerCase().split(/\s+/));
  const names = FALLBACKS[directive];
  const found = names.map((name) => entries.find(([first]) => first === name)).find((entry) => entry !== undefined);
  return found?.slice(1);
}

/** @returns true for a source that allows a URL. A path in it is ignored. */
function allows(source: string, url: URL, site: string): boolean {
  if (source === "'self'") return url.origin === site;
  if (source === '*' || source === url.protocol) return true;
  const [, scheme, wildcard, host = '', port] = HOST_SOURCE.exec(source) ?? [];
  const isHost = wildcard ? url.hostname.endsWith(`.${host}`) : url.hostname === host;
  const isPort = port === '*' || (port ?? '') === url.port;
  return isHost && isPort && (scheme === undefined || `${scheme}:` === url.protocol);
}

/** Reports what the Content-Security-Policy of the site blocks. @internal */
export class PolicyCheck {
  readonly #origin: string;
  readonly #events: Pick<Events, 'report'>;
  /** The needs that were not reported yet, by their text. */
  readonly #needs = new Map<string, { directive: Directive; source: string }>();
  readonly #reported = new Set<string>();

  constructor(origin: string, events: Pick<Events, 'report'>) {
    this.#origin = origin;
    this.#events = events;
  }

  /** Records what a page of the site needs. @param source an origin; by default, that of the site */
  need(directive: Directive, source: string = this.#origin): void {
    const key = `${directive} ${source}`;
    if (!this.#reported.has(key)) this.#needs.set(key, { directive, source });
  }

  /** Checks the policy that the site has set on a response. The pages of this package then replace it by their own. */
  check(res: ServerResponse): void {
    const header = this.#needs.size === 0 ? undefined : res.getHeader('Content-Security-Policy');
    if (header === undefined) return;
    // A browser applies each of several policies.
    const policies = [header].flat().join(',').split(',');
    for (const [key, { directive, source }] of this.#needs) {
      if (!policies.some((policy) => this.#isBlocked(policy, directive, source))) continue;
      this.#needs.delete(key);
      this.#reported.add(key);
      this.#events.report('policy_blocks', { directive, source: source === this.#origin ? "'self'" : source });
    }
  }

  #isBlocked(policy: string, directive: Directive, source: string): boolean {
    const sources = sourcesOf(policy, directive);
    // The site writes the tag of its own script, and may give it a nonce. That of the share button has none.
    const mayHaveNonce = directive === 'script-src' && source === this.#origin;
    if (!sources || (mayHaveNonce && sources.some((one) => /^'(?:nonce|sha\d+)-/.test(one)))) return false;
    return !sources.some((one) => allows(one, new URL(source), this.#origin));
  }
}
