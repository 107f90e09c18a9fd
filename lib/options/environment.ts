import { flows, parseScope } from '../authorization-server/flows.js';
import { ConfigurationError } from '../errors/errors.js';
import { type OptionProblem, type OptionRule, problemOf } from './option-table.js';
import { type RelyingPartyOptions, relyingPartyOptions, secureURLProblem } from './options.js';
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
export type VariableOption = keyof typeof VARIABLES;

/** The options that the environment can have. */
export type EnvironmentOptions = Partial<Pick<RelyingPartyOptions, Exclude<VariableOption, 'optionalScope'>>> & {
  optionalScope?: string | readonly string[] | undefined;
};

/** What is wrong with a variable, without its value. The phrase completes `CLINICIAN_ISSUER ...`. */
export interface VariableProblem {
  readonly option: VariableOption;
  readonly variable: string;
  readonly phrase: string;
}

const OPTIONS = Object.keys(VARIABLES) as VariableOption[];

/**
 * Reads the variables, without a check. A blank value is a missing one: shells and containers often set `NAME=`.
 * @param callbackPath the path of `callbackURL`, after APP_URL
 */
export function readVariables(env: Environment, callbackPath = '/auth/callback'): EnvironmentOptions {
  const options: Record<string, string | readonly string[]> = {};
  for (const option of OPTIONS) {
    const value = env[VARIABLES[option]];
    if (!value?.trim()) continue;
    if (option === 'secret') options[option] = value.trim().split(/\s+/);
    else if (option === 'callbackURL') options[option] = value.replace(/\/$/, '') + callbackPath;
    else options[option] = value;
  }
  return options;
}

/**
 * Checks the options of the environment together, as the site does when it starts, and each of them separately.
 * @param overridden the options that are not from the environment: they are used, and not reported
 */
export function variableProblems(
  options: EnvironmentOptions,
  overridden: (option: VariableOption) => boolean = () => false,
): VariableProblem[] {
  const problems = new Map<VariableOption, string>();
  const add = (option: VariableOption, problem: OptionProblem | undefined) => {
    if (problem && !overridden(option) && !problems.has(option)) problems.set(option, problem.phrase);
  };
  for (const option of OPTIONS) add(option, ownProblem(option, options[option]));
  if ((['flow', 'scope', 'optionalScope'] as const).every((option) => !ownProblem(option, options[option]))) {
    const { flow = 'openid', scope, optionalScope, apiURL } = options;
    const requested = scope === undefined ? flows[flow].defaultScope : parseScope(scope);
    const offered = [...requested, ...parseScope(optionalScope)];
    add('scope', withoutValue(scopeOptionProblem(flow, scope), requested));
    if (!problems.has('scope')) add('optionalScope', withoutValue(scopeOptionProblem(flow, offered), offered));
    add('apiURL', missingAPIURL(offered, apiURL));
  }
  return OPTIONS.filter((option) => problems.has(option)).map((option) => ({
    option,
    variable: VARIABLES[option],
    phrase: problems.get(option) as string,
  }));
}

/** @returns what is wrong with one option, whatever the others are. */
function ownProblem(option: VariableOption, value: EnvironmentOptions[VariableOption]): OptionProblem | undefined {
  const isList = option === 'scope' || option === 'optionalScope';
  if (typeof value === 'string' && value !== value.trim() && !isList) {
    return { phrase: 'starts or ends with a space or a line break. Remove it.' };
  }
  if (option === 'callbackURL') {
    const example = 'https://app.example';
    const phrase = `is missing. Set it to the public address of the site, such as ${example}.`;
    if (value === undefined) return { phrase };
    const problem = typeof value === 'string' ? secureURLProblem(value, example) : undefined;
    if (problem) return problem;
  }
  const rule = option === 'optionalScope' ? relyingPartyOptions.scope : relyingPartyOptions[option];
  return problemOf(rule as OptionRule<unknown>, value);
}

/** @returns the problem of a scope, without an unknown scope: the value may be a secret. */
function withoutValue(problem: OptionProblem | undefined, scope: readonly string[]): OptionProblem | undefined {
  const start = scope.map((token) => `has '${token}',`).find((text) => problem?.phrase.startsWith(text));
  return problem && start ? { ...problem, phrase: `has a scope${problem.phrase.slice(start.length)}` } : problem;
}

/**
 * Adds the options of the environment to those of the site.
 * @param options options that take precedence over the environment; undefined ones do not
 * @returns all options. Throws one {@link ConfigurationError} that names every missing or invalid variable, without its value.
 */
export function withEnvironment<Options extends EnvironmentOptions>(
  options: Options,
  env: Environment,
): EnvironmentOptions & Options {
  const own = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
  const all = { ...readVariables(env), ...own };
  const problems = variableProblems(all, (option) => Object.hasOwn(own, option));
  if (problems.length === 0) return all;
  const lines = problems.map(({ variable, phrase }) => `${variable} ${phrase}`);
  const start = lines.length === 1 ? '' : `${lines.length} environment variables are missing or invalid.\n  `;
  throw new ConfigurationError('environment_invalid', `passport-clinician: ${start}${lines.join('\n  ')}`);
}
