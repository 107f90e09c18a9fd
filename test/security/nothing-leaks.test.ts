import { MemoryTokenStore } from '../../lib/index.js';
import { nothingLeaks } from './nothing-leaks.js';

nothingLeaks('everything in memory', async () => ({ tokenStore: new MemoryTokenStore(), everything: async () => '' }));
