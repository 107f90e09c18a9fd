import { startRedis } from '../contracts/redis-server.js';
import { testJourneys } from './test-journeys.js';

testJourneys('Redis', 60, startRedis);
