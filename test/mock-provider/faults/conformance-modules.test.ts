import { expect, test } from '@jest/globals';
import {
  FAULTS,
  type FaultAlias,
  type FaultName,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';

const aliases = Object.values(FAULTS).flatMap((fault) => fault.aliases);
const faultModules = aliases.filter((alias) => alias.startsWith('oidcc-'));

test('each module that is an alias has its short name as an alias', () => {
  for (const module of faultModules) expect(aliases).toContain(module.slice('oidcc-client-test-'.length));
});

test('each alias queues its fault', async () => {
  const provider = await startMockProvider();
  for (const [name, { aliases }] of Object.entries(FAULTS)) {
    for (const alias of aliases) {
      provider.faults.next(alias);
      expect([alias, provider.faults.queued[0]?.name]).toEqual([alias, name]);
      provider.faults.clear();
    }
  }
  await provider.stop();
});

test('the types accept only known names of faults, aliases and options, and any name of a clinician', async () => {
  const provider = await startMockProvider();
  const isClosed: string extends FaultName | FaultAlias ? false : true = true;
  expect(isClosed).toBe(true);
  const alias: FaultAlias = 'oidcc-client-test-kid-absent-multiple-jwks';
  provider.faults.next(alias);
  // @ts-expect-error not an alias
  expect(() => provider.faults.next('oidcc-client-test-kid-absent')).toThrow('There is no fault');
  // @ts-expect-error not an option
  expect(() => provider.faults.next('delay', { ms: 5 })).toThrow('has no option "ms"');
  await expect(provider.signIn('', { as: 'another-name' })).rejects.toThrow('There is no clinician');
  // @ts-expect-error without a clinician
  await expect(provider.signIn('', {})).rejects.toThrow();
  await provider.stop();
});
