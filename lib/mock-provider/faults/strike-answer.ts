import type { Answer } from '../answer.js';
import type { House } from '../house.js';
import type { MockRequest } from '../request.js';
import { ANSWER_FAULTS } from './answer-faults.js';
import { DOWN_FAULTS } from './down-faults.js';
import type { AnswerFaultName, DownFaultName, FaultName } from './fault-names.js';
import type { Occasion } from './fault-queue.js';

/** @returns which exchange a request is. */
export function occasionOf(http: MockRequest, client: string | undefined): Occasion {
  return { endpoint: http.path, client, grantType: http.isForm ? http.form.get('grant_type') : undefined };
}

/** What comes of a fault. */
interface Spoilt {
  readonly name: FaultName;
  readonly answer: Answer;
}

/** @returns what is answered in place of what the endpoint does, when a fault waits for it. */
export function strikeRequest({ faults, clock }: House, occasion: Occasion): Spoilt | undefined {
  const struck = faults.strike('down', occasion);
  if (struck === undefined) return undefined;
  const { name, options } = struck;
  return { name, answer: DOWN_FAULTS[name as DownFaultName].act(options, clock.now()) };
}

/** @returns the answer, spoilt, when a fault waits for it. */
export function strikeAnswer({ faults }: House, answer: Answer, occasion: Occasion): Spoilt | undefined {
  const struck = faults.strike('answer', occasion, (name) => {
    const { fits } = ANSWER_FAULTS[name as AnswerFaultName];
    return fits === undefined || fits(answer);
  });
  if (struck === undefined) return undefined;
  const { name, options } = struck;
  return { name, answer: ANSWER_FAULTS[name as AnswerFaultName].act(answer, options) };
}
