/** The keywords of JSON Schema that the OpenAPI documents use. */
export interface JSONSchema {
  type?: string | string[];
  properties?: Record<string, JSONSchema>;
  required?: string[];
  additionalProperties?: boolean | JSONSchema;
  items?: JSONSchema;
  enum?: unknown[];
  $ref?: string;
}

/**
 * Compares a value with a schema. Independent of the checks of the mock provider.
 * @param schemas the components of the document
 * @returns a line for each value that does not match
 */
export function mismatches(
  schema: JSONSchema,
  value: unknown,
  schemas: Readonly<Record<string, JSONSchema>>,
  at = 'body',
): string[] {
  if (schema.$ref) return mismatches(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, value, schemas, at);
  const types = [schema.type ?? []].flat();
  const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const fits = types.some((type) => type === kind || (type === 'integer' && Number.isSafeInteger(value)));
  if (types.length > 0 && !fits) return [`${at} is ${kind}, not ${types}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is ${JSON.stringify(value)}`];
  if (Array.isArray(value))
    return value.flatMap((one, i) => mismatches(schema.items ?? {}, one, schemas, `${at}[${i}]`));
  if (typeof value !== 'object' || value === null) return [];
  const missing = (schema.required ?? []).filter((name) => !(name in value)).map((name) => `${at} lacks ${name}`);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const own = schema.properties?.[name];
    if (own) return mismatches(own, member, schemas, `${at}.${name}`);
    if (schema.additionalProperties === false) return [`${at}.${name} is not described`];
    const others = schema.additionalProperties;
    return typeof others === 'object' ? mismatches(others, member, schemas, at) : [];
  });
  return [...missing, ...members];
}
