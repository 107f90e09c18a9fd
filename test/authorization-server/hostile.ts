import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { HostileAuthorizationServer } from './hostile-authorization-server.js';

/** A hostile authorization server for the tests of the file that imports it, reset after each test. */
export let hostile: HostileAuthorizationServer;

beforeAll(async () => {
  hostile = await HostileAuthorizationServer.start();
});
afterEach(() => hostile.reset());
afterAll(() => hostile.stop());
