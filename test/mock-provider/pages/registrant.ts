import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, type Shown, type Visitor } from './visitor.js';

/** Somebody without an account, and what they write on the account creation page. */
export const ANN = {
  firstName: 'Ann',
  lastName: 'Lee',
  npi: '1000000004',
  credentials: 'NP',
  specialty: 'Family Medicine',
  email: 'Ann.Lee@Clinic.Example',
  password: 'a long password',
};

export function create(provider: MockProvider, visitor: Visitor, more: Record<string, string> = {}): Promise<Shown> {
  return visitor.get(authorizePath(provider, { prompt: 'create', ...more }));
}
