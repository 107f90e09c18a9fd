import { MemoryTokenStore } from '../../lib/token-vault/memory-token-store.js';
import { movableClock } from '../token-vault/movable-clock.js';
import { describeKeptProfiles } from './kept-profiles.contract.js';

describeKeptProfiles('a MemoryTokenStore', async () => {
  const clock = movableClock();
  return { store: new MemoryTokenStore({ clock }), clock, pass: async (ms) => clock.pass(ms) };
});
