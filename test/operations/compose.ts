import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const folder = fileURLToPath(new URL('../../example-app/compose', import.meta.url));

export type Environment = Readonly<Record<string, string>>;

/** A service of compose.yaml: what the tests use of it. */
export interface Service {
  command: readonly string[];
  environment: Environment;
  healthcheck: { test: readonly string[] };
}

/** The files of example-app/compose, with the addresses of containers replaced by local ones. */
export interface Compose {
  services: Readonly<Record<'site-1' | 'site-2' | 'proxy' | 'mock-provider' | 'redis', Service>>;
  mockProvider: Record<string, unknown>;
  nginxTemplate: string;
  certificateScript: string;
}

/** @param addresses the text to insert for each address of a container; each of them must occur */
export function readCompose(addresses: Readonly<Record<string, string>>, variables: Environment): Compose {
  const missing = new Set(Object.keys(addresses));
  const read = (file: string): string => {
    let text = readFileSync(join(folder, file), 'utf8');
    for (const [address, local] of Object.entries(addresses)) {
      if (text.includes(address)) missing.delete(address);
      text = text.replaceAll(address, local);
    }
    return text;
  };
  const compose = {
    services: parse(interpolate(read('compose.yaml'), variables)).services,
    mockProvider: JSON.parse(read('mock-provider.json')),
    nginxTemplate: readFileSync(join(folder, 'nginx.conf.template'), 'utf8'),
    certificateScript: join(folder, 'certificate.sh'),
  };
  if (missing.size > 0) throw new Error(`example-app/compose does not use ${[...missing].join(', ')}`);
  return compose;
}

/** Inserts the variables of the shell as Compose does: `${NAME:?message}` is required. */
function interpolate(text: string, variables: Environment): string {
  return text.replace(/\$\{(\w+):\?([^}]*)\}/g, (_all, name: string, message: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(message);
    return value;
  });
}

/** Inserts the environment into a template as the nginx image does: other variables are nginx's own. */
export function substitute(template: string, environment: Environment): string {
  return template.replace(/\$\{(\w+)\}/g, (all, name: string) => environment[name] ?? all);
}
