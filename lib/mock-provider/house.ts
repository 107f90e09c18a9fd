import type { MockClock } from './clock.js';
import type { FaultQueue } from './faults/fault-queue.js';
import type { KeyRing } from './keys.js';
import type { RateLimiter } from './middleware/rate-limiter.js';
import type { ProblemLog } from './problems.js';
import type { AccountStore } from './stores/accounts.js';
import type { ClientStore } from './stores/clients.js';
import type { ConsentStore } from './stores/consents.js';
import type { FormTokenStore } from './stores/form-tokens.js';
import type { GrantStore } from './stores/grants.js';
import type { InboxStore } from './stores/inbox.js';
import type { InteractionStore } from './stores/interactions.js';
import type { SessionStore } from './stores/sessions.js';

/** Everything that one provider holds; the endpoints are functions of it and a request. */
export interface House {
  readonly issuer: string;
  readonly clock: MockClock;
  readonly keys: KeyRing;
  readonly clients: ClientStore;
  readonly accounts: AccountStore;
  readonly grants: GrantStore;
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly consents: ConsentStore;
  readonly forms: FormTokenStore;
  readonly inbox: InboxStore;
  readonly problems: ProblemLog;
  readonly faults: FaultQueue;
  readonly rates: RateLimiter;
  /** True when cookies can be Secure. */
  readonly secure: boolean;
  /** `sample`: firstname, as the service's sample payload; `list`: first_name, as its field list (decision 90). */
  readonly spelling: 'sample' | 'list';
  /** Of somebody who creates an account: at once, or after the manual queue (decision 31). */
  readonly verification: 'instant' | 'queued';
}
