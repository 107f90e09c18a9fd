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
  LifetimeOptions: [[`${M}/options/options.ts`, 'LifetimeOptions']],
  MockProviderOptions: [[`${M}/options/options.ts`, 'MockProviderOptions']],
  Problem: [[`${M}/recording/problems.ts`, 'Problem']],
  QueuedFault: [[`${M}/faults/fault-queue.ts`, 'QueuedFault']],
  RateLimitOptions: [[`${M}/options/options.ts`, 'RateLimitOptions']],
  RateWindow: [[`${M}/control/grant-state.ts`, 'RateWindow']],
  RecordedRequest: [[`${M}/recording/recorded-request.ts`, 'RecordedRequest']],
  Report: [[`${M}/recording/report.ts`, 'Report']],
};

/** @returns lib/mock-provider/control/descriptions.ts. */
export function descriptionsModule(): string {
  const descriptions = Object.entries(INTERFACES).map(([title, interfaces]) => {
    const members = interfaces.flatMap(([file, name]) => membersOf(file, name));
    const texts = members.map(({ name, description }) => [name, description] as const);
    return [title, Object.fromEntries(texts.filter(([, text]) => text !== ''))];
  });
  return `// Generated from the TSDoc of the interfaces by npm run docs:openapi.

/** Maps the title of each schema to the descriptions of its members. */
export const DESCRIPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = ${JSON.stringify(Object.fromEntries(descriptions))};
`;
}
