import { createClock } from '../../mock-provider/clock.js';
import type { ClientRegistration, ClinicianOptions, MockProviderOptions } from '../../mock-provider/mock-provider.js';
import { PERSONAS } from '../../mock-provider/personas.js';
import { readyMade } from '../../mock-provider/ready-made-clients.js';
import { AccountStore } from '../../mock-provider/stores/accounts.js';
import { checkRegistration } from '../../mock-provider/stores/client-registration.js';
import { ClientStore } from '../../mock-provider/stores/clients.js';

/** One application or one person of the config file that the mock provider does not take, and what it says of it. */
export class MeaningFault extends Error {
  readonly path: string;

  constructor(path: string, sentence: string) {
    super(sentence.replace('registerClient()', path));
    this.path = path;
  }
}

/** Registers every client and clinician one by one, as the mock provider will, so that it is known which one it refuses. */
export function checkMeaning({ clients = [], clinicians = [] }: MockProviderOptions): void {
  const registered = new ClientStore();
  for (const client of Object.values(readyMade)) registered.add(client);
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
      throw new MeaningFault(`${list}[${index}]`, (error as Error).message);
    }
  }
}
