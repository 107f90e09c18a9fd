import { clientRegistration } from '../options/client-registration.js';
import { clinicianOptions } from '../options/clinician-options.js';
import { object, type Schema, text, texts } from '../options/schema.js';
import { CONTROL_PREFIX, type Operation, operation } from './operation.js';
import { ACCOUNT_OPERATIONS } from './operations/accounts.js';
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
/** Members of a schema that are no keywords of JSON Schema. */
const OWN_KEYWORDS: readonly string[] = ['expects', 'check'];

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
    run: () => openAPIDocument(),
  }),
];

/** All operations of the control API. */
export const OPERATIONS: readonly Operation[] = [
  ...DESCRIPTION_OPERATIONS,
  ...SIMULATION_OPERATIONS,
  ...RECORD_OPERATIONS,
  ...ACCOUNT_OPERATIONS,
  ...SANDBOX_OPERATIONS,
];

/** @returns the control API as an OpenAPI 3.1 document. */
export function openAPIDocument(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of OPERATIONS) {
    const path = CONTROL_PREFIX + one.path;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: describe(one) };
  }
  const components = Object.entries(COMPONENTS).map(([name, schema]) => [name, toJSONSchema(schema)]);
  return {
    openapi: '3.1.0',
    info: { title: 'The control API of the clinician mock provider', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/', description: 'The mock provider. Each sandbox has its own control API below its issuer.' }],
    paths,
    components: { schemas: Object.fromEntries(components) },
  };
}

function describe({ id, summary, query = {}, body, status = 200, response, example }: Operation) {
  const parameters = Object.entries(query).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description !== undefined && { description }),
    schema,
  }));
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
      [status]: { description: summary, content: describeContent(response) },
      default: { description: 'The request was refused.', content: describeContent(error) },
    },
  };
}

function describeContent(response: Operation['response']): Record<string, unknown> {
  if (response === 'text') return { 'text/plain': { schema: text } };
  return { 'application/json': { schema: reference(response) } };
}

/** @returns a reference to a schema of {@link COMPONENTS}, and other schemas themselves. */
function reference(schema: unknown): unknown {
  const name = COMPONENT_NAMES.get(schema);
  return name === undefined ? toJSONSchema(schema) : { $ref: `#/components/schemas/${name}` };
}

function toJSONSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(reference);
  if (typeof schema !== 'object' || schema === null) return schema;
  const keywords = Object.entries(schema).filter(([name]) => !OWN_KEYWORDS.includes(name));
  return Object.fromEntries(keywords.map(([name, value]) => [name, reference(value)]));
}
