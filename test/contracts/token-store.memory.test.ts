import { MemoryTokenStore } from '../../lib/token-vault/memory-token-store.js';
import { movableClock } from '../token-vault/movable-clock.js';
import { describeTokenStore } from './token-store.contract.js';

describeTokenStore('MemoryTokenStore', async () => {
  const clock = movableClock();
  return { store: new MemoryTokenStore({ clock }), clock, advance: async (ms) => clock.advance(ms) };
});
