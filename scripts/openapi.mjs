// Writes the OpenAPI document of the mock provider's control API from the table that it runs on. Build first.
import { writeFileSync } from 'node:fs';
import { openAPIDocument } from '../dist/esm/mock-provider/control/openapi.js';

const file = new URL('../docs/mock-provider.openapi.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(openAPIDocument(), null, 2)}\n`);
