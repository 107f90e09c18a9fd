import { MASK } from '../http/masking.js';
import { type Exchange, redirectParameters } from '../recording/exchange.js';
import {
  isShowable,
  type MaskedJSON,
  maskedBody,
  maskedClaims,
  type TokenIssuer,
  type ValuePart,
} from '../recording/exchange-values.js';
import type { RecordedRequest } from '../recording/recorded-request.js';

/** A value of an exchange. */
interface ShownValue {
  readonly name: string;
  readonly value: string;
  /** The part of the exchange, when the value is masked and can be read on request. */
  readonly part?: ValuePart;
}

/** The values of one part of an exchange. */
export interface ValueSection {
  readonly title: 'Request' | 'Redirect' | 'Response' | 'ID Token claims';
  /** A body, formatted. Its masked members are in {@link values}. */
  readonly json?: string;
  readonly values: readonly ShownValue[];
}

/**
 * @param exchange the exchange with its values; undefined when they are not stored
 * @returns what an exchange sent and received, with each value masked that may be a secret.
 */
export function valueSections(
  { query, form, authorization, location }: RecordedRequest,
  exchange: Exchange | undefined,
  provider: TokenIssuer,
): readonly ValueSection[] {
  const valuesOf = (part: ValuePart, values: Readonly<Record<string, string>>): ShownValue[] =>
    Object.entries(values).map(([name, value]) => {
      const isMasked = value === MASK && exchange !== undefined && isShowable(name);
      return { name, value, ...(isMasked && { part }) };
    });
  const json = (title: ValueSection['title'], part: ValuePart, masked: MaskedJSON | undefined): ValueSection => ({
    title,
    ...(masked && { json: masked.text }),
    values: valuesOf(part, Object.fromEntries((masked?.masked ?? []).map((name) => [name, MASK]))),
  });
  const sections: ValueSection[] = [
    {
      title: 'Request',
      values: [
        ...(authorization === undefined ? [] : [authorizationValue(authorization, exchange)]),
        ...valuesOf('query', query),
        ...valuesOf('form', form),
      ],
    },
    { title: 'Redirect', values: valuesOf('redirect', redirectParameters(location)) },
    json('Response', 'body', exchange && maskedBody(exchange)),
    json('ID Token claims', 'claims', exchange && maskedClaims(exchange, provider)),
  ];
  return sections.filter(({ json: text, values }) => text !== undefined || values.length > 0);
}

function authorizationValue(scheme: string, exchange: Exchange | undefined): ShownValue {
  return { name: 'Authorization', value: `${scheme} ...`, ...(exchange && { part: 'header' }) };
}
