import { createContext, runInContext } from 'node:vm';

export const SITE = 'https://site.example';
const POPUP_LINK = '[data-clinician-display="popup"]';

type Listener = (event: never) => void;

/** An element with the members that the scripts use. */
export interface FakeElement {
  dataset: Record<string, string>;
  href?: string;
  origin?: string;
  /** The query of a link. */
  search?: string;
  /** The selector that matches a link that is clicked. @default POPUP_LINK */
  selector?: string;
}

/** A frame that the client script created. */
export interface FakeFrame {
  src: string;
  hidden: boolean;
  /** True after it was added to the page. */
  isAttached: boolean;
  contentWindow: object;
  /** The messages posted into it, with their target origins. */
  posted: { message: unknown; target: string }[];
  load(): void;
}

export interface FakeBrowser {
  frames: FakeFrame[];
  /** Navigations of the page, or of the page around the frame: `assign /x`, `replace /x`. */
  navigations: string[];
  /** The requests: method and address. */
  fetched: string[];
  /** The messages that pages sent on the channel of the origin. */
  broadcasts: unknown[];
  /** The windows opened, with their features. */
  opened: { address: string; features: string; opener: unknown }[];
  /** The events of the document that the script dispatched. */
  dispatched: string[];
  /** The `detail` of each of them. */
  details: unknown[];
  storage: Map<string, string>;
  closed: boolean;
  /** Moves the time forward and runs the timers that are due. */
  advance(ms: number): void;
  hide(hidden: boolean): void;
  /** Sends a message to the page. */
  message(event: { source: unknown; origin: string; data: unknown }): void;
  /** Sends a message on the channel, as another page of this origin does. */
  receive(message: unknown): void;
  /** Clicks an element inside of this link. @returns whether the script prevented the default action of the browser. */
  click(link: FakeElement | undefined, more?: object): boolean;
  /** Resolves after the responses to all requests. */
  settled(): Promise<void>;
}

export interface FakePage {
  /** The elements of a page of this package that `document.querySelector` finds, by selector. @default a page of the site */
  elements?: Record<string, FakeElement>;
  /** True if the page is not in a frame of the page `/around?a=1`. */
  isTop?: boolean;
  path?: string;
  storage?: Map<string, string>;
  storageForbidden?: boolean;
  popupsBlocked?: boolean;
  noChannel?: boolean;
  /** True if a listener of the site prevents the default of the dispatched events. */
  preventsDefault?: boolean;
  /** The site's response to a reported change; undefined when it cannot be reached. @default { event: 'session-changed' } */
  response?: object | undefined;
}

/** Runs a browser script on a fake page that has only what the scripts use. */
export function fakeBrowser(script: string, page: FakePage = {}): FakeBrowser {
  const { elements = {}, path = '/page?a=1', storage = new Map<string, string>() } = page;
  const listeners = new Map<string, Set<Listener>>();
  const channels = new Set<{ onmessage?: (event: { data: unknown }) => void }>();
  let timers: { at: number; act: () => void }[] = [];
  let now = 0;
  let fetches: Promise<unknown> = Promise.resolve();

  const on = (type: string, listener: Listener) => {
    listeners.set(type, (listeners.get(type) ?? new Set()).add(listener));
  };
  const fire = (type: string, event: object) => {
    for (const listener of listeners.get(type) ?? []) listener(event as never);
  };
  const events = {
    addEventListener: on,
    removeEventListener: (type: string, listener: Listener) => void listeners.get(type)?.delete(listener),
  };

  const browser: FakeBrowser = {
    frames: [],
    navigations: [],
    fetched: [],
    broadcasts: [],
    opened: [],
    dispatched: [],
    details: [],
    storage,
    closed: false,
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = next.at;
        next.act();
      }
      now = until;
    },
    hide(hidden) {
      document.hidden = hidden;
      fire('visibilitychange', {});
    },
    message: (event) => fire('message', event),
    receive(message) {
      for (const channel of channels) channel.onmessage?.({ data: message });
    },
    click(link, more = {}) {
      let prevented = false;
      const matches = (selector: string) => selector === (link?.selector ?? POPUP_LINK);
      const path = link
        ? [{}, Object.setPrototypeOf(Object.assign(link, { matches }), HTMLAnchorElement.prototype)]
        : [];
      const preventDefault = () => {
        prevented = true;
      };
      fire('click', { button: 0, composedPath: () => path, preventDefault, ...more });
      return prevented;
    },
    async settled() {
      await fetches;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };

  class HTMLAnchorElement {}

  class EventTarget {
    dispatchEvent({ type, detail }: { type: string; detail?: unknown }) {
      browser.dispatched.push(type);
      browser.details.push(detail);
      return !page.preventsDefault;
    }
  }

  class BroadcastChannel {
    onmessage?: (event: { data: unknown }) => void;
    constructor() {
      channels.add(this);
    }
    postMessage(message: unknown) {
      browser.broadcasts.push(message);
      for (const other of channels) if (other !== this) other.onmessage?.({ data: message });
    }
    close() {
      channels.delete(this);
    }
  }

  function createElement(): unknown {
    const loading = new Set<() => void>();
    const frame: FakeFrame & Record<string, unknown> = {
      src: '',
      hidden: false,
      isAttached: false,
      posted: [],
      contentWindow: { postMessage: (message: unknown, target: string) => frame.posted.push({ message, target }) },
      addEventListener: (_: string, listener: () => void) => loading.add(listener),
      load: () => {
        for (const listener of loading) listener();
      },
    };
    browser.frames.push(frame);
    return frame;
  }

  const document = {
    ...events,
    hidden: false,
    readyState: 'complete',
    createElement,
    body: {
      append(frame: FakeFrame) {
        frame.isAttached = true;
      },
    },
    querySelector: (selector: string) => elements[selector] ?? null,
    querySelectorAll: (selector: string) => (selector in elements ? [elements[selector]] : []),
  };
  const address = new URL(path, SITE);
  const localStorage = {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  };
  const navigation = {
    assign: (to: string) => browser.navigations.push(`assign ${to}`),
    replace: (to: string) => browser.navigations.push(`replace ${to}`),
  };
  const window = {
    ...events,
    document,
    location: {
      href: address.href,
      origin: address.origin,
      pathname: address.pathname,
      search: address.search,
      ...navigation,
    },
    open(to: string, _name: string, features: string) {
      if (page.popupsBlocked) return null;
      const opened = { address: to, features, opener: 'the page' as unknown };
      browser.opened.push(opened as never);
      return opened;
    },
    close() {
      browser.closed = true;
    },
    fetch(to: string, init: { method: string }) {
      browser.fetched.push(`${init.method} ${to}`);
      const { response: body = 'response' in page ? undefined : { event: 'session-changed' } } = page;
      const response = body ? Promise.resolve({ json: async () => body }) : Promise.reject(new Error('offline'));
      fetches = response.catch(() => undefined);
      return response;
    },
    setTimeout(act: () => void, ms: number) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return timer;
    },
    clearTimeout(timer: unknown) {
      timers = timers.filter((one) => one !== timer);
    },
    URL,
    URLSearchParams,
    EventTarget,
    HTMLAnchorElement,
    CustomEvent: class {
      readonly type: string;
      readonly detail: unknown;
      constructor(type: string, { detail }: { detail?: unknown }) {
        this.type = type;
        this.detail = detail;
      }
    },
    ...(page.noChannel ? {} : { BroadcastChannel }),
  };
  const around = { document: {}, location: { pathname: '/around', search: '?a=1', ...navigation } };
  const global = Object.assign(window, { window, parent: page.isTop ? window : around });
  if (page.storageForbidden) {
    Object.defineProperty(global, 'localStorage', {
      get() {
        throw new Error('SecurityError');
      },
    });
  } else Object.assign(global, { localStorage });
  runInContext(`Math.random = () => 0.5; ${script}`, createContext(global));
  return browser;
}
