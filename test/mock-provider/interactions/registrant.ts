import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizePath, type PageResponse, type Visitor } from '../visitor.js';

/** The fields of a user without an account for the registration page. */
export const ANN = {
  firstName: 'Ann',
  lastName: 'Lee',
  npi: '1000000004',
  credentials: 'NP',
  specialty: 'Family Medicine',
  email: 'Ann.Lee@Clinic.Example',
  password: 'a long password',
};

export function create(
  provider: MockProvider,
  visitor: Visitor,
  more: Record<string, string> = {},
): Promise<PageResponse> {
  return visitor.get(authorizePath(provider, { prompt: 'create', ...more }));
}
