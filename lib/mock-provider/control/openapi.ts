import type { Schema } from '../options/schema.js';
import { CONTROL_PREFIX, type Operation } from './operation.js';
import { OPERATIONS } from './operations/operations.js';
import * as schemas from './schemas.js';
import { list, object, text } from './schemas.js';

const VERSION = '1.0.0';
const refusal = object({ error: text, message: { ...text, description: 'A sentence.' } }, ['error', 'message']);

/** What has a name of its own in the document. */
const NAMED: Readonly<Record<string, Schema>> = {
  Refusal: refusal,
  Clock: schemas.clockState,
  RecordedRequest: schemas.recordedRequest,
  Problem: schemas.problem,
  Clinician: schemas.clinician,
  NewClinician: schemas.clinicianToAdd,
  ClinicianChange: schemas.clinicianChange,
  Client: schemas.clientState,
  NewClient: schemas.clientToRegister,
  RegisteredClient: schemas.registeredClient,
  Grant: schemas.grantState,
  Finding: schemas.finding,
  RateWindow: schemas.rateWindow,
};
/** What a schema says beyond JSON Schema. */
const NOT_JSON_SCHEMA: readonly string[] = ['expects', 'check'];
const NAMES = new Map(Object.entries(NAMED).map(([name, schema]): [unknown, string] => [schema, name]));

const DESCRIPTION = `What a test does with a running mock provider, as JSON. Off unless the provider was started with \`control: true\`.
It answers loopback addresses alone, under the provider's own Host header, and no page of another origin. Writes are JSON with Content-Type: application/json.`;

const about: readonly Operation[] = [
  {
    method: 'GET',
    path: '/',
    id: 'listOperations',
    summary: 'What there is',
    answer: object({ documentation: text, operations: list(text) }, ['documentation', 'operations']),
    act: () => ({
      documentation: `${CONTROL_PREFIX}/openapi.json`,
      operations: EVERY_OPERATION.map(({ method, path, summary }) => `${method} ${CONTROL_PREFIX}${path}: ${summary}`),
    }),
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'readOpenAPI',
    summary: 'This document',
    answer: { type: 'object' },
    act: () => openAPIDocument(),
  },
];

/** All that the control API does, and what it says of itself. */
export const EVERY_OPERATION: readonly Operation[] = [...about, ...OPERATIONS];

/** @returns the control API as an OpenAPI 3.1 document, made of the table that it runs on. */
export function openAPIDocument(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of EVERY_OPERATION) {
    const path = CONTROL_PREFIX + operation.path;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'The control API of the clinician mock provider', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/', description: 'The mock provider; each sandbox has its own below its address.' }],
    paths,
    components: { schemas: Object.fromEntries(Object.entries(NAMED).map(([name, one]) => [name, members(one)])) },
  };
}

function describe({
  id,
  summary,
  query = {},
  body,
  status = 200,
  answer,
  example,
}: Operation): Record<string, unknown> {
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
        content: { 'application/json': { schema: named(body), ...(example !== undefined && { example }) } },
      },
    }),
    responses: {
      [status]: { description: summary, content: content(answer) },
      default: {
        description: 'Refused, in a sentence',
        content: { 'application/json': { schema: named(refusal) } },
      },
    },
  };
}

function content(answer: Operation['answer']): Record<string, unknown> {
  return answer === 'text' ? { 'text/plain': { schema: text } } : { 'application/json': { schema: named(answer) } };
}

/** A schema that has a name is pointed to by it. */
function named(schema: unknown): unknown {
  const name = NAMES.get(schema);
  return name === undefined ? members(schema) : { $ref: `#/components/schemas/${name}` };
}

function members(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(named);
  if (typeof schema !== 'object' || schema === null) return schema;
  const keywords = Object.entries(schema).filter(([name]) => !NOT_JSON_SCHEMA.includes(name));
  return Object.fromEntries(keywords.map(([name, value]) => [name, named(value)]));
}
