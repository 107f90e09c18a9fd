import { clientRegistration } from '../options/client-registration.js';
import { clinicianOptions } from '../options/clinician-options.js';
import { object, type Schema, text, texts } from '../options/schema.js';
import { CONTROL_PREFIX, type Operation, operation } from './operation.js';
import { ACCOUNT_OPERATIONS } from './operations/accounts.js';
import { GRANT_OPERATIONS } from './operations/grants.js';
import { RECORD_OPERATIONS } from './operations/records.js';
import { SANDBOX_OPERATIONS } from './operations/sandboxes.js';
import { SIMULATION_OPERATIONS } from './operations/simulation.js';
import * as schemas from './schemas.js';

const VERSION = '1.0.0';
const DESCRIPTION = `Controls a running mock provider from tests in any language, as JSON. It is disabled unless the provider is started with \`control: true\`.
It accepts only requests from loopback addresses, with the provider's own Host header, and none from pages of other origins. Send bodies with Content-Type: application/json.`;

const error = object<{ error: string; message: string }>({ error: text, message: text }, {});

/** The schemas that the document defines once, by name. */
const COMPONENTS: Readonly<Record<string, Schema>> = {
  Error: error,
  Clock: schemas.clockState,
  RecordedRequest: schemas.recordedRequest,
  Problem: schemas.problem,
  Clinician: schemas.clinician,
  NewClinician: clinicianOptions,
  ClinicianChange: schemas.clinicianChange,
  Client: schemas.clientState,
  NewClient: clientRegistration,
  RegisteredClient: schemas.registeredClient,
  Grant: schemas.grantState,
  Finding: schemas.finding,
  RateWindow: schemas.rateWindow,
};
const COMPONENT_NAMES = new Map(Object.entries(COMPONENTS).map(([name, schema]): [unknown, string] => [schema, name]));

const DESCRIPTION_OPERATIONS: readonly Operation[] = [
  operation({
    method: 'GET',
    path: '/',
    id: 'listOperations',
    summary: 'The operations of this API',
    response: object<{ documentation: string; operations: readonly string[] }>(
      { documentation: text, operations: texts },
      {},
    ),
    run: () => ({
      documentation: `${CONTROL_PREFIX}/openapi.json`,
      operations: OPERATIONS.map(({ method, path, summary }) => `${method} ${CONTROL_PREFIX}${path}: ${summary}`),
    }),
  }),
  operation({
    method: 'GET',
    path: '/openapi.json',
    id: 'readOpenAPI',
    summary: 'This document',
    response: { type: 'object' },
    run: openAPIDocument,
  }),
];

/** Lists all operations of the control API. */
export const OPERATIONS: readonly Operation[] = [
  ...DESCRIPTION_OPERATIONS,
  ...SIMULATION_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...GRANT_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...SANDBOX_OPERATIONS,
];

/** @returns the control API as an OpenAPI 3.1 document. */
async function openAPIDocument(): Promise<Record<string, unknown>> {
  // Loaded on request, because only this operation needs the descriptions.
  const { DESCRIPTIONS } = await import('./descriptions.js');
  const convert = createConverter(DESCRIPTIONS);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of OPERATIONS) {
    const path = CONTROL_PREFIX + one.path;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: describe(one, convert) };
  }
  const components = Object.entries(COMPONENTS).map(([name, schema]) => [name, convert.definition(schema)]);
  return {
    openapi: '3.1.0',
    info: { title: 'The control API of the clinician mock provider', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/', description: 'The mock provider. Each sandbox has its own control API below its issuer.' }],
    paths,
    components: { schemas: Object.fromEntries(components) },
  };
}

/** Converts schemas to JSON Schema. */
interface Converter {
  definition(schema: Schema): Record<string, unknown>;
  /** Returns a reference to a schema of {@link COMPONENTS}, and the definition of any other. */
  reference(schema: Schema): Record<string, unknown>;
}

function describe(
  { id, summary, query = {}, body, status = 200, response, example }: Operation,
  { reference }: Converter,
): Record<string, unknown> {
  const parameters = Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
  }));
  const content = (schema: Schema) => ({ 'application/json': { schema: reference(schema) } });
  return {
    operationId: id,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: reference(body), ...(example !== undefined && { example }) } },
      },
    }),
    responses: {
      [status]: {
        description: summary,
        content: response === 'text' ? { 'text/plain': { schema: reference(text) } } : content(response),
      },
      default: { description: 'The request was refused.', content: content(error) },
    },
  };
}

/** @param descriptions of the members of each schema that has a title */
function createConverter(descriptions: Readonly<Record<string, Readonly<Record<string, string>>>>): Converter {
  function reference(schema: Schema): Record<string, unknown> {
    const name = COMPONENT_NAMES.get(schema);
    return name === undefined ? definition(schema) : { $ref: `#/components/schemas/${name}` };
  }

  function definition({ title, expects, check, accepts, ...keywords }: Schema): Record<string, unknown> {
    const { properties, items, additionalProperties } = keywords;
    return {
      ...keywords,
      ...(properties && { properties: members(properties, descriptions[title ?? '']) }),
      ...(items && { items: reference(items) }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: reference(additionalProperties) }),
    };
  }

  function members(properties: Readonly<Record<string, Schema>>, texts: Readonly<Record<string, string>> = {}) {
    const entries = Object.entries(properties).map(([name, schema]) => {
      const sentences = [...new Set([texts[name], schema.description])].filter((sentence) => sentence !== undefined);
      return [name, { ...reference(schema), ...(sentences.length > 0 && { description: sentences.join(' ') }) }];
    });
    return Object.fromEntries(entries);
  }

  return { definition, reference };
}
