import type { Answer } from './answer.js';
import type { House } from './house.js';
import type { Refusal, Refused } from './refusal.js';
import type { MockRequest } from './request.js';

export type Endpoint = (
  house: House,
  request: MockRequest,
) => Promise<Answer | Refused | Refusal> | Answer | Refused | Refusal;

/** What there is at a path: an endpoint for each method; `head` where GET changes nothing (decision 2). */
export type Route = Readonly<Partial<Record<'GET' | 'POST', Endpoint>>> & { readonly head?: boolean };
