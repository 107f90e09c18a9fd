import { CONTROL_PREFIX, type Operation } from '../../../lib/mock-provider/control/operation.js';
import { OPERATIONS } from '../../../lib/mock-provider/control/operations/operations.js';
import * as schemas from '../../../lib/mock-provider/control/schemas.js';
import { clientRegistration } from '../../../lib/mock-provider/options/client-registration.js';
import { clinicianOptions } from '../../../lib/mock-provider/options/clinician-options.js';
import { object, type Schema, text } from '../../../lib/mock-provider/options/schema.js';
import { membersOf } from '../../helpers/interface-docs.js';

const M = 'lib/mock-provider';

/** The interfaces of each title of a schema. */
const INTERFACES: Readonly<Record<string, readonly (readonly [file: string, name: string])[]>> = {
  ClientRegistration: [[`${M}/options/client-registration.ts`, 'ClientRegistration']],
  ClinicianOptions: [
    [`${M}/options/clinician-options.ts`, 'ClinicianOptions'],
    [`${M}/options/clinician-options.ts`, 'ClinicianProfileFields'],
  ],
  ClockState: [[`${M}/control/snapshot.ts`, 'ClockState']],
  Fault: [[`${M}/faults/catalogue.ts`, 'Fault']],
  FaultOptions: [[`${M}/faults/fault.ts`, 'FaultOptions']],
  Finding: [[`${M}/recording/report.ts`, 'Finding']],
  GrantState: [[`${M}/control/grant-state.ts`, 'GrantState']],
  LifetimeOptions: [[`${M}/options/provider-options.ts`, 'LifetimeOptions']],
  MockProviderOptions: [[`${M}/options/provider-options.ts`, 'MockProviderOptions']],
  Problem: [[`${M}/recording/problems.ts`, 'Problem']],
  QueuedFault: [[`${M}/faults/fault-queue.ts`, 'QueuedFault']],
  RateLimitOptions: [[`${M}/options/provider-options.ts`, 'RateLimitOptions']],
  RateWindow: [[`${M}/control/grant-state.ts`, 'RateWindow']],
  RecordedRequest: [[`${M}/recording/recorded-request.ts`, 'RecordedRequest']],
  Report: [[`${M}/recording/report.ts`, 'Report']],
};

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

/** @returns the control API as an OpenAPI 3.1 document, with the descriptions of the TSDoc. */
export function openAPIDocument(): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const one of OPERATIONS) {
    const path = CONTROL_PREFIX + one.path;
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: describe(one) };
  }
  const components = Object.entries(COMPONENTS).map(([name, schema]) => [name, definition(schema)]);
  return {
    openapi: '3.1.0',
    info: { title: 'The control API of the clinician mock provider', version: VERSION, description: DESCRIPTION },
    servers: [{ url: '/', description: 'The mock provider.' }],
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

/** @returns a reference to a schema of {@link COMPONENTS}, and the definition of any other. */
function reference(schema: Schema): Record<string, unknown> {
  const name = COMPONENT_NAMES.get(schema);
  return name === undefined ? definition(schema) : { $ref: `#/components/schemas/${name}` };
}

/** @returns the JSON Schema */
function definition({ title, expects, check, accepts, ...keywords }: Schema): Record<string, unknown> {
  const { properties, items, additionalProperties } = keywords;
  return {
    ...keywords,
    ...(properties && { properties: members(properties, descriptionsOf(title)) }),
    ...(items && { items: reference(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: reference(additionalProperties) }),
  };
}

function members(properties: Readonly<Record<string, Schema>>, descriptions: ReadonlyMap<string, string>) {
  const entries = Object.entries(properties).map(([name, schema]) => {
    const texts = [...new Set([descriptions.get(name), schema.description])].filter((one) => one !== undefined);
    return [name, { ...reference(schema), ...(texts.length > 0 && { description: texts.join(' ') }) }];
  });
  return Object.fromEntries(entries);
}

/** @returns the descriptions of the members of a schema with a title */
function descriptionsOf(title = ''): ReadonlyMap<string, string> {
  const docs = (INTERFACES[title] ?? []).flatMap(([file, name]) => membersOf(file, name));
  return new Map(
    docs.filter(({ description }) => description !== '').map(({ name, description }) => [name, description]),
  );
}
