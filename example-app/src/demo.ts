import { type Environment, readConfig } from './config.js';
import { type RunningSite, startSite } from './start.js';

export { configMessage } from './config.js';

/** Starts this site for `passport-clinician demo`: with a mock provider, and only with the settings of the command line. */
export async function startDemo(settings: Environment): Promise<RunningSite> {
  return await startSite(readConfig(settings));
}
