import { createAuthorizationEndpoint } from '../endpoints/authorize.js';
import {
  createJSONEndpoint,
  createKeysEndpoint,
  createSessionStateEndpoint,
  STATIC_FILES,
} from '../endpoints/documents.js';
import { createLogoutEndpoint } from '../endpoints/logout.js';
import { createRevocationEndpoint } from '../endpoints/revoke.js';
import { createTokenEndpoint } from '../endpoints/token.js';
import { userinfo } from '../endpoints/userinfo.js';
import { type Address, isAtAddress, PAGE_PATHS, PATHS } from '../http/paths.js';
import { BrowserForms, BrowserSessions } from '../interactions/browser-sessions.js';
import { createConsentEndpoint } from '../interactions/consent.js';
import { createDispatcher } from '../interactions/dispatcher.js';
import { InteractionLookup } from '../interactions/interaction-context.js';
import { LoginForm } from '../interactions/login-form.js';
import { refuseFrames, refuseRepetition } from '../interactions/page-checks.js';
import { createRegistrationPage } from '../interactions/registration.js';
import { createDirectSignInPage, createLoginPage } from '../interactions/sign-in.js';
import { createSignOutPages } from '../interactions/sign-out.js';
import { createVerificationPage } from '../interactions/verification.js';
import { AuthorizationResponses } from '../protocol/authorization/authorization-response.js';
import { AuthorizationRequests } from '../protocol/authorization/read-authorization-request.js';
import type { Route } from '../protocol/endpoint.js';
import { authorizationServerMetadata, openidConfiguration } from '../protocol/metadata.js';
import type { ProviderInstance } from '../provider-instance.js';
import { createColleagues } from '../resources/colleagues.js';
import { createCurrentUser } from '../resources/current-user.js';
import { createInboxPages } from '../resources/inbox.js';
import { RATE_LIMIT_STATUS, type Resource, ResourceAPI } from '../resources/resources.js';

/** The routes of one provider. */
export interface RouteTable {
  /** @param address where the path is requested; undefined if the issuer and the API have one origin */
  find(path: string, address?: Address): Route | undefined;
  readonly resourceAPI: ResourceAPI;
  readonly browserSessions: BrowserSessions;
}

type Routes = readonly (readonly [path: string, Route])[];

/** Creates every endpoint of a provider with the stores that it needs. */
export function createRoutes(instance: ProviderInstance): RouteTable {
  const browserSessions = new BrowserSessions(instance.sessions, instance.cookies);
  const resourceAPI = new ResourceAPI(instance.rates, instance.clock);
  const routes = new Map([
    ...documentRoutes(instance),
    ...authorizationRoutes(instance, browserSessions),
    ...resourceRoutes(instance, browserSessions, resourceAPI),
  ]);
  return {
    find: (path, address) => (isAtAddress(path, address) ? routes.get(path) : undefined),
    resourceAPI,
    browserSessions,
  };
}

function documentRoutes({ issuer, options, keys, cookies }: ProviderInstance): Routes {
  const configuration = createJSONEndpoint(openidConfiguration(issuer, options.issParameter));
  const metadata = createJSONEndpoint(authorizationServerMetadata(issuer, options.issParameter));
  return [
    [PATHS.openidConfiguration, { GET: configuration, head: true, cors: 'public' }],
    [PATHS.authorizationServer, { GET: metadata, head: true, cors: 'public' }],
    [PATHS.jwks, { GET: createKeysEndpoint(keys), head: true, cors: 'public' }],
    [PATHS.sessionState, { GET: createSessionStateEndpoint(cookies), head: true }],
    ...STATIC_FILES,
  ];
}

function authorizationRoutes(instance: ProviderInstance, browserSessions: BrowserSessions): Routes {
  const { issuer, options, cookies, clock, clients, accounts, consents, grants, idTokens, mayInspect } = instance;
  const requests = new AuthorizationRequests(clients, accounts, idTokens);
  const responses = new AuthorizationResponses(grants, idTokens, clock, options.issParameter ? issuer : undefined);
  const loginForm = new LoginForm(accounts, mayInspect);
  const lookup = new InteractionLookup(instance.interactions, cookies, browserSessions);
  const dispatch = createDispatcher(lookup, loginForm, consents, responses, clock);
  const browserForms = new BrowserForms(instance.forms, cookies);
  const login = createLoginPage(lookup, loginForm, browserSessions, dispatch);
  const registration = createRegistrationPage(lookup, accounts, options.verification, browserSessions, dispatch);
  const verification = createVerificationPage(lookup, browserSessions, dispatch);
  const consent = createConsentEndpoint(lookup, consents, responses, dispatch);
  const signIn = createDirectSignInPage(browserForms, loginForm, browserSessions, cookies);
  const signOutPages = createSignOutPages(browserForms, browserSessions);
  const authorize = createAuthorizationEndpoint(requests, responses, browserSessions, dispatch);
  const logout = createLogoutEndpoint(clients, idTokens, browserSessions, signOutPages);
  const pages: Routes = [
    // Resuming can issue a code, so it has no HEAD.
    [PAGE_PATHS.resume, { GET: lookup.page(dispatch) }],
    [PAGE_PATHS.login, { ...login, head: true }],
    [PAGE_PATHS.registration, { ...registration, head: true }],
    [PAGE_PATHS.verification, { ...verification, head: true }],
    [PAGE_PATHS.consent, { POST: consent }],
    [PAGE_PATHS.signIn, { ...signIn, head: true }],
    [PAGE_PATHS.signOut, { GET: signOutPages.GET, POST: signOutPages.POST, head: true }],
  ];
  return [
    [PATHS.authorize, refuseFrames({ GET: authorize, POST: authorize })],
    [PATHS.token, { POST: createTokenEndpoint(clients, grants, idTokens) }],
    [PATHS.revoke, { POST: createRevocationEndpoint(clients, grants) }],
    [PATHS.userinfo, { GET: userinfo, POST: userinfo, head: true, cors: 'bearer' }],
    [PATHS.logout, { GET: logout, POST: logout }],
    ...pages.map(([path, route]) => [path, refuseRepetition(refuseFrames(route))] as const),
  ];
}

function resourceRoutes(
  { apiURL, options, cookies, clock, forms, inbox }: ProviderInstance,
  browserSessions: BrowserSessions,
  resourceAPI: ResourceAPI,
): Routes {
  const resource = (one: Resource): Route => ({ GET: resourceAPI.endpoint(one), head: true });
  const pages = createInboxPages(inbox, forms, browserSessions, cookies, clock);
  return [
    [PATHS.currentUser, resource(createCurrentUser(options.spelling))],
    [PATHS.colleagues, resource(createColleagues(apiURL, options.spelling))],
    [PATHS.rateLimit, resource(RATE_LIMIT_STATUS)],
    [PAGE_PATHS.newMessage, refuseRepetition({ GET: pages.newMessage, head: true })],
    [PAGE_PATHS.inbox, refuseRepetition({ ...pages.inbox, head: true })],
  ];
}
