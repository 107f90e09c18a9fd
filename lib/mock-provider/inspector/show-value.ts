import { ControlError } from '../control/control-error.js';
import { type Operation, operation } from '../control/operation.js';
import { count, object, oneOf, text } from '../options/schema.js';
import { readValue, VALUE_PARTS, type ValuePart } from '../recording/exchange-values.js';

/** Sends one masked value of a recent request, such as a token. Passwords are never sent. */
export const SHOW_VALUE: Operation = operation<{ request: number; part: ValuePart; name: string }>({
  method: 'POST',
  path: '/value',
  body: object({ request: count({ minimum: 1 }), part: oneOf(...VALUE_PARTS), name: text }, {}),
  run({ recorder }, { body: { request, part, name } }) {
    const exchange = recorder.unmasked(request);
    const value = exchange && readValue(exchange, part, name);
    if (value !== undefined) return { value };
    throw new ControlError(
      404,
      'not_found',
      exchange === undefined
        ? `The values of request ${request} are not stored: only those of the newest requests are, if no other machine reaches the provider.`
        : `Request ${request} has no value of this name that can be shown.`,
    );
  },
});
