import { flows, parseScope } from '../authorization-server/flows.js';
import { ConfigurationError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import { type Problem, phraseOf, type Schema } from '../schema.js';
import { problemOf } from './option-table.js';
import { addedPathProblem, type RelyingPartyOptions, relyingPartyOptions, secureURLProblem } from './options.js';
import { missingAPIURL, scopeOptionProblem } from './resolve-options.js';

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Maps each option that the environment can have to its variable. */
export const VARIABLES = {
  issuer: 'CLINICIAN_ISSUER',
  apiURL: 'CLINICIAN_API_URL',
  shareScriptURL: 'CLINICIAN_SHARE_SCRIPT_URL',
  clientID: 'CLINICIAN_CLIENT_ID',
  clientSecret: 'CLINICIAN_CLIENT_SECRET',
  flow: 'CLINICIAN_FLOW',
  scope: 'CLINICIAN_SCOPE',
  optionalScope: 'CLINICIAN_OPTIONAL_SCOPE',
  callbackURL: 'APP_URL',
  secret: 'SESSION_SECRET',
} as const;

/** Names an option that the environment can have. */
type VariableOption = keyof typeof VARIABLES;

/** The options that the environment can have. */
export type EnvironmentOptions = Partial<Pick<RelyingPartyOptions, Exclude<VariableOption, 'optionalScope'>>> & {
  optionalScope?: string | readonly string[] | undefined;
};

const OPTIONS = Object.keys(VARIABLES) as VariableOption[];

/**
 * Adds the options of the environment to those of the site. A blank variable is a missing one: shells and containers often set `NAME=`.
 * @param options options that take precedence over the environment; undefined ones do not
 * @returns all options. Throws one {@link ConfigurationError} that names every missing or invalid variable, without its value.
 */
export function withEnvironment<Options extends EnvironmentOptions>(
  options: Options,
  env: Environment,
): EnvironmentOptions & Options {
  const own = defined(options) as Options;
  const all = { ...readVariables(env), ...own };
  const lines = OPTIONS.flatMap((option) => {
    const problem = Object.hasOwn(own, option) ? undefined : problemIn(option, all);
    return problem === undefined ? [] : [`${VARIABLES[option]} ${phraseOf(problem)}`];
  });
  if (lines.length === 0) return all;
  const start = lines.length === 1 ? '' : `${lines.length} environment variables are missing or invalid.\n  `;
  throw new ConfigurationError('environment_invalid', `passport-clinician: ${start}${lines.join('\n  ')}`);
}

function readVariables(env: Environment): EnvironmentOptions {
  const options: Record<string, string | readonly string[]> = {};
  for (const option of OPTIONS) {
    const value = env[VARIABLES[option]]?.trim();
    if (!value) continue;
    if (option === 'secret') options[option] = value.split(/\s+/);
    else if (option === 'callbackURL') options[option] = `${value.replace(/\/+$/, '')}/auth/callback`;
    else options[option] = value;
  }
  return options;
}

/** @returns what is wrong with an option, also together with the others. Its phrase does not contain the value. */
function problemIn(option: VariableOption, all: EnvironmentOptions): Problem | undefined {
  const { flow = 'openid', scope, optionalScope, apiURL, callbackURL } = all;
  if (option === 'callbackURL') {
    if (callbackURL === undefined)
      return 'is missing. Set it to the public address of the site, such as https://app.example.';
    const problem = secureURLProblem(callbackURL, 'https://app.example');
    return problem ?? addedPathProblem(callbackURL, /\/auth\/callback(?=\/)/i, '/auth/callback');
  }
  const rule = option === 'optionalScope' ? relyingPartyOptions.scope : relyingPartyOptions[option];
  const problem = problemOf(rule as Schema, all[option]);
  if (problem || !Object.hasOwn(flows, flow)) return problem;
  const requested = scope === undefined ? flows[flow].defaultScope : parseScope(scope);
  const offered = [...requested, ...parseScope(optionalScope)];
  if (option === 'scope') return scopeOptionProblem({ flow, apiURL }, requested);
  if (option === 'optionalScope' && optionalScope !== undefined) return scopeOptionProblem({ flow, apiURL }, offered);
  return option === 'apiURL' ? missingAPIURL(offered, apiURL) : undefined;
}
