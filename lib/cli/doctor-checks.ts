import { randomBytes } from 'node:crypto';
import { systemClock } from '../async/clock.js';
import { PendingWork } from '../async/work.js';
import type { AuthorizationRequest } from '../authorization-server/authorization-request.js';
import { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { flowOf, parseScope } from '../authorization-server/flows.js';
import { type ClinicianError, isClinicianError, withAddress } from '../errors/errors.js';
import { createFetch, type Fetch, type FetchResponse, sendRequest } from '../http/http.js';
import { isLoopbackHost } from '../http/url.js';
import { type Environment, withEnvironment } from '../options/environment.js';
import { failIf, problemOf } from '../options/option-table.js';
import { relyingPartyOptions } from '../options/options.js';
import type { Schema } from '../schema.js';
import { Secret } from '../sealing/sealer.js';

/** The result of one check. The exit code is 1 for a `problem`; `skipped` could not be checked. */
export interface CheckResult {
  readonly check: 'settings' | 'metadata' | 'client secret' | 'registration';
  readonly outcome: 'ok' | 'warning' | 'problem' | 'skipped';
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** What the environment of a site does not have. */
export interface DoctorOptions {
  /** The path of the callback URL, instead of `/auth/callback`. */
  readonly callbackPath?: string | undefined;
  /** An origin of the option `allowedEndpointOrigins`. */
  readonly endpointOrigin?: string | undefined;
  /** The certificate of a private certificate authority, in PEM. */
  readonly ca?: string | undefined;
}

type Settings = ReturnType<typeof readSettings>;

/** The expected errors of prompt=none without a session (OpenID Connect Core section 3.1.2.6). */
const NO_SESSION_ERRORS = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];

/** Checks a site with the functions that it runs: a second implementation of the rules would diverge. */
export async function runChecks(env: Environment, options: DoctorOptions = {}): Promise<CheckResult[]> {
  const settings = await orError(() => readSettings(env, options));
  if (isClinicianError(settings)) {
    const message = withAddress(settings).slice('passport-clinician: '.length);
    return [
      { check: 'settings', outcome: 'problem', message },
      { check: 'metadata', outcome: 'skipped', message: 'Fix the settings first.' },
    ];
  }
  const fetch = createFetch({ timeout: settings.timeout, ca: options.ca });
  const server = new AuthorizationServer(settings, fetch, new PendingWork());
  const request = await orError(async () => {
    await server.checks.metadata();
    await server.checks.keys?.();
    return await server.request({ scope: settings.scope, prompt: 'none' });
  });
  if (isClinicianError(request)) {
    return [checkSettings(settings), { check: 'metadata', outcome: 'problem', message: withAddress(request) }];
  }
  const message = settings.flow.expectsIDToken ? 'the issuer matches, and it has usable keys' : 'the service responds';
  return [
    checkSettings(settings),
    { check: 'metadata', outcome: 'ok', message },
    await checkClientSecret(server, request, settings),
    await checkRegistration(server, request, settings, fetch),
  ];
}

/** Throws an error that names every missing or invalid variable. */
function readSettings(env: Environment, { callbackPath = '/auth/callback', endpointOrigin, ca }: DoctorOptions) {
  failIf('ca', problemOf(relyingPartyOptions.ca as Schema, ca));
  const {
    issuer = '',
    clientID = '',
    clientSecret = '',
    callbackURL = '',
    secret,
    ...options
  } = withEnvironment({}, env);
  const { flow: name = 'openid', apiURL, scope, optionalScope } = options;
  const flow = flowOf({ flow: name, apiURL });
  return {
    ...{ issuer, clientID, flow, clock: systemClock, timeout: 10_000 },
    clientSecret: new Secret(clientSecret),
    redirectURI: callbackURL.replace(/\/auth\/callback$/, callbackPath),
    scope: [...parseScope(scope ?? flow.defaultScope), ...parseScope(optionalScope)],
    endpointOrigins: [new URL(issuer).origin, ...(endpointOrigin === undefined ? [] : [endpointOrigin])],
    sharesSecret: [secret].flat().includes(clientSecret),
  };
}

function checkSettings({ redirectURI, flow, scope, sharesSecret }: Settings): CheckResult {
  if (sharesSecret) {
    const message = 'SESSION_SECRET is the client secret, which the service knows too. Set it to another random value.';
    return { check: 'settings', outcome: 'problem', message };
  }
  if (isLoopbackHost(new URL(redirectURI).hostname)) {
    const message = `The callback URL is ${redirectURI}. Set APP_URL to the public address of the site before it goes live.`;
    return { check: 'settings', outcome: 'warning', message };
  }
  return { check: 'settings', outcome: 'ok', message: `${redirectURI}, flow ${flow.name}, scope "${scope.join(' ')}"` };
}

/**
 * Redeems an invalid code. The service responds `invalid_client` if the client authentication is wrong, and `invalid_grant` if it
 * is correct (RFC 6749 section 5.2).
 */
async function checkClientSecret(
  server: AuthorizationServer,
  { transaction }: AuthorizationRequest,
  { issuer }: Settings,
): Promise<CheckResult> {
  const code = randomBytes(32).toString('base64url');
  const response = new URLSearchParams({ code, state: transaction.state, iss: issuer });
  const error = await refusalOf(server.redeem(response, transaction));
  const check = 'client secret';
  if (error.code === 'invalid_grant') return { check, outcome: 'ok', message: 'an invalid code gets invalid_grant' };
  const isRefused = error.code === 'invalid_client' || error.code === 'unauthorized_client';
  return { check, outcome: isRefused ? 'problem' : 'warning', message: withAddress(error) };
}

/**
 * Sends an authorization request with prompt=none. The service redirects to a registered URL with `login_required`, and never to
 * another one (RFC 6749 section 4.1.2.1).
 */
async function checkRegistration(
  server: AuthorizationServer,
  { url, transaction }: AuthorizationRequest,
  { redirectURI }: Settings,
  fetch: Fetch,
): Promise<CheckResult> {
  const check = 'registration';
  const response = await orError(() => sendRequest(fetch, url, { headers: { accept: 'text/html' } }));
  if (isClinicianError(response)) return { check, outcome: 'warning', message: withAddress(response) };
  const parameters = callbackParameters(response, redirectURI);
  if (parameters !== undefined) {
    const error = await refusalOf(server.redeem(parameters, transaction));
    if (NO_SESSION_ERRORS.includes(error.code)) return { check, outcome: 'ok', message: redirectURI };
    return { check, outcome: 'problem', message: withAddress(error) };
  }
  const { status } = response;
  const fix = `Register exactly ${redirectURI} for this client, or set APP_URL and --callback-path to the registered one.`;
  const message = `The service does not redirect to the callback URL (status ${status}). ${fix}`;
  return { check, outcome: status >= 400 && status < 500 ? 'problem' : 'warning', message };
}

/** @returns the parameters of a redirect to the callback URL, or undefined for any other response. */
function callbackParameters({ headers }: FetchResponse, callbackURL: string): URLSearchParams | undefined {
  const location = headers.get('location');
  const url = location && URL.canParse(location, callbackURL) ? new URL(location, callbackURL) : undefined;
  return url && url.origin + url.pathname === callbackURL ? url.searchParams : undefined;
}

async function orError<Value>(run: () => Value | Promise<Value>): Promise<Value | ClinicianError> {
  try {
    return await run();
  } catch (error) {
    if (isClinicianError(error)) return error;
    throw error;
  }
}

/** @returns the error of a response that no service accepts. */
async function refusalOf(tokens: Promise<unknown>): Promise<ClinicianError> {
  const error = await orError(() => tokens);
  if (isClinicianError(error)) return error;
  throw new Error('The service has accepted an invalid authorization response.');
}
