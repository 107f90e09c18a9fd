import type { ClientRegistration, ClinicianOptions, MockProviderOptions } from '../../mock-provider/mock-provider.js';
import { checkRegistration } from '../../mock-provider/options/client-registration.js';
import { defaultClients } from '../../mock-provider/options/default-clients.js';
import { PERSONAS } from '../../mock-provider/options/personas.js';
import { AccountStore } from '../../mock-provider/state/accounts.js';
import { ClientStore } from '../../mock-provider/state/clients.js';
import { createClock } from '../../mock-provider/state/clock.js';

/** One application or one person of the config file that the mock provider does not take, and what it says of it. */
export class RegistrationError extends Error {
  readonly path: string;

  constructor(path: string, sentence: string) {
    super(sentence.replace('registerClient()', path));
    this.path = path;
  }
}

/** Registers every client and clinician one by one, as the mock provider will, so that it is known which one it refuses. */
export function checkRegistrations({ clients = [], clinicians = [] }: MockProviderOptions): void {
  const registered = new ClientStore();
  for (const client of Object.values(defaultClients)) registered.add(client);
  each('clients', clients, (client: ClientRegistration) => registered.add(checkRegistration(client)));
  const accounts = new AccountStore(createClock(() => {}));
  for (const persona of PERSONAS) accounts.add(persona);
  each('clinicians', clinicians, (clinician: ClinicianOptions) => accounts.add(clinician));
}

function each<T>(list: string, items: readonly T[], add: (item: T) => unknown): void {
  for (const [index, item] of items.entries()) {
    try {
      add(item);
    } catch (error) {
      throw new RegistrationError(`${list}[${index}]`, (error as Error).message);
    }
  }
}
