import { PEOPLE_SCRIPT } from './accounts.js';
import { CLOCK_SCRIPT } from './clock.js';
import { DOM_SCRIPT } from './dom.js';
import { FAULTS_SCRIPT } from './faults.js';
import { FINDINGS_SCRIPT } from './findings.js';
import { HOLDINGS_SCRIPT } from './grants.js';
import { LOGINS_SCRIPT } from './logins.js';
import { MAIN_SCRIPT } from './main.js';
import { PROVIDER_SCRIPT } from './provider.js';
import { TIME_SCRIPT } from './time.js';

/** The page's modules by their file names. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  'main.js': MAIN_SCRIPT,
  'dom.js': DOM_SCRIPT,
  'time.js': TIME_SCRIPT,
  'provider.js': PROVIDER_SCRIPT,
  'clock.js': CLOCK_SCRIPT,
  'logins.js': LOGINS_SCRIPT,
  'faults.js': FAULTS_SCRIPT,
  'findings.js': FINDINGS_SCRIPT,
  'grants.js': HOLDINGS_SCRIPT,
  'accounts.js': PEOPLE_SCRIPT,
};
