import { MemoryTokenStore } from '../../lib/index.js';
import { testRepeatedRevocations } from './repeated-revocations.js';

testRepeatedRevocations('a store in memory', async () => new MemoryTokenStore());
