// Imports and requires each entry in one process: both return the same values.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const different = [];
for (const entry of ['', '/mock-provider', '/redis', '/postgres', '/testing']) {
  const required = require(`passport-clinician${entry}`);
  const imported = await import(`passport-clinician${entry}`);
  for (const name of new Set([...Object.keys(required), ...Object.keys(imported)])) {
    if (name !== 'default' && required[name] !== imported[name]) different.push(`${entry} ${name}`);
  }
}
const { ClinicianError } = await import('passport-clinician');
const { RedisTokenStore } = await import('passport-clinician/redis');
let error;
try {
  new RedisTokenStore({});
} catch (thrown) {
  error = thrown;
}
console.log(JSON.stringify({ different, sharedClass: error instanceof ClinicianError }));
