import { closestName } from '../options/option-check.js';
import { badRequest } from './control-error.js';

/** The part of JSON Schema that the control API is described in: enough to check a body, and to document it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly minProperties?: number;
  readonly format?: string;
}

/** Throws a sentence that names the member at fault. `where` is what the value is called in it. */
export function check(schema: Schema, value: unknown, where: string): void {
  if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) {
    throw badRequest(`${where} must be ${[schema.type].flat().map(article).join(' or ')}, not ${shown(value)}.`);
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) throw badRequest(notOneOf(schema.enum, value, where));
  if (Array.isArray(value)) {
    for (const [at, one] of value.entries()) if (schema.items) check(schema.items, one, `${where}[${at}]`);
  } else if (typeof value === 'object' && value !== null) checkMembers(schema, value as Record<string, unknown>, where);
}

function checkMembers(schema: Schema, value: Record<string, unknown>, where: string): void {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const known = Object.keys(properties);
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) check(own, member, `${where}.${name}`);
    else if (additionalProperties === false) throw badRequest(unknownMember(name, known, where));
  }
  const missing = required.find((name) => value[name] === undefined);
  if (missing !== undefined) throw badRequest(`${where} needs ${JSON.stringify(missing)}.`);
  if (Object.keys(value).length < minProperties) throw badRequest(`${where} needs one of: ${known.join(', ')}.`);
}

function unknownMember(name: string, known: readonly string[], where: string): string {
  const meant = closestName(name, known);
  const fix = meant ? `Did you mean ${meant}?` : known.length > 0 ? `Known are: ${known.join(', ')}.` : 'It has none.';
  return `${where} has no member ${shown(name)}. ${fix}`;
}

function notOneOf(known: readonly unknown[], value: unknown, where: string): string {
  const meant = typeof value === 'string' ? closestName(value, known.map(String)) : undefined;
  return `${where} cannot be ${shown(value)}. ${meant ? `Did you mean ${meant}?` : `There are: ${known.join(', ')}.`}`;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function article(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 100);
}
