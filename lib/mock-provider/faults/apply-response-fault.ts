import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import type { House } from '../provider-instance.js';
import { DOWN_FAULTS } from './failure-faults.js';
import type { AnswerFaultName, DownFaultName } from './fault-names.js';
import type { Occasion } from './fault-queue.js';
import { ANSWER_FAULTS } from './response-faults.js';

/** @returns which exchange a request is. */
export function occasionOf(http: MockRequest, client: string | undefined): Occasion {
  return { http, endpoint: http.path, client, grantType: http.isForm ? http.form.get('grant_type') : undefined };
}

/** @returns what is answered in place of what the endpoint does, when a fault waits for it. */
export function strikeRequest({ faults, clock }: House, occasion: Occasion): Answer | undefined {
  const { http } = occasion;
  // Where a fault waits to spoil a body, there must be one.
  http.getsAll = faults.awaits('answer', occasion, (name) => ANSWER_FAULTS[name as AnswerFaultName].fits !== undefined);
  const struck = faults.strike('down', occasion);
  return struck && DOWN_FAULTS[struck.name as DownFaultName].act(struck.options, clock.now(), http);
}

/** @returns the answer, spoilt when a fault waits for it. */
export function strikeAnswer({ faults }: House, meant: Answer, occasion: Occasion): Answer {
  const answer = occasion.http.spoil?.(meant) ?? meant;
  // What never arrives cannot be spoilt: the next one is.
  if (answer.silence !== undefined) return answer;
  const struck = faults.strike('answer', occasion, (name) => {
    const { fits } = ANSWER_FAULTS[name as AnswerFaultName];
    return fits === undefined || fits(answer);
  });
  return struck ? ANSWER_FAULTS[struck.name as AnswerFaultName].act(answer, struck.options) : answer;
}
