import { describe, expect, test } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { bareSite, loginOptions, refreshOf, type SiteOptions, sameOriginForm, sealingSecret } from './site.js';

// The wildcard of Express 4, which has app.del(), and that of Express 5.
const wildcard = 'del' in express.application ? '*' : '{*path}';

test.each<string | RegExp>([/.*/, wildcard])(
  'mounted at %s, as forRoutes() of NestJS does, the drop-in signs in',
  async (path) => {
    const app = express();
    const clinician = clinicianLogin(loginOptions(provider));
    app.use(path, session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
    app.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
    const agent = supertest.agent(app);
    const { text } = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/me' });
    expect(text).toBe('in');
    await agent.put('/auth/login?x=/auth/logout').expect(405);
    await agent.get('/me/?x').expect(200);
  },
);

test('mounted below a path that a route is not below, the first request fails with a message that names it', async () => {
  const app = express();
  app.use('/clinic', clinicianLogin(loginOptions(provider)));
  app.use(((error, _req, res, _next) => void res.json([error.code, error.message])) as ErrorRequestHandler);
  const { body } = await supertest(app).get('/clinic/me');
  expect(body[0]).toBe('mount_path_conflict');
  expect(body[1]).toMatch(
    /below '\/clinic', clinicianLogin\(\) never receives requests for '\/auth\/login'\. Write app\.use\(clinician\).*basePath: '\/clinic'/,
  );
});

describe.each([
  ['as the browser sends it', '/app/team', (path: string) => path],
  ['without basePath, which a proxy strips', '', (path: string) => path.replace(/^\/app\/team(?=\/)/, '')],
])('a site below /app/team that receives each path %s', (_name, mount, received) => {
  const callbackURL = 'http://127.0.0.1:3000/app/team/auth/callback';

  function siteOf(options: SiteOptions = {}) {
    const clinician = clinicianLogin(loginOptions(provider, { callbackURL, ...options }));
    const site = express.Router();
    site.use(clinician);
    site.get('/', (req, res) => void res.send(req.clinician.isAuthenticated ? 'in' : 'out'));
    site.get('/me', clinician.requireLogin(), (_req, res) => void res.send('in'));
    const app = express();
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
    app.use(mount === '' ? '/' : mount, site);
    const agent = supertest.agent(app);
    /** Sends the request of a browser for a path on the origin of the site. */
    const get = (path: string) => agent.get(received(path)).set('Accept', 'text/html');
    return { clinician, agent, get };
  }

  /** Follows the redirects from a page through the service. @returns the path that the site redirects to at the end */
  async function signInFrom({ get }: ReturnType<typeof siteOf>, path: string): Promise<string> {
    let { location = '' } = (await get(path).expect(302)).headers;
    if (location.startsWith('/')) location = (await get(location).expect(302)).headers.location as string;
    const { pathname, search } = new URL(await provider.signIn(location, { as: 'verified' }));
    expect(pathname).toBe('/app/team/auth/callback');
    return (await get(pathname + search).expect(302)).headers.location as string;
  }

  test('leads from a guard to the service and back to the page, and signs out to a page below it', async () => {
    const site = siteOf();
    expect(await signInFrom(site, '/app/team/me')).toBe('/app/team/me');
    expect((await site.get('/app/team/me').expect(200)).text).toBe('in');
    const asked = await site.get('/app/team/auth/logout').expect(200);
    expect(asked.text).toContain('<form method="post" action="/app/team/auth/logout">');
    expect(asked.text).toContain('<a href="/app/team/">Stay signed in</a>');
    const { text } = await site.agent.post(received('/app/team/auth/logout')).set(sameOriginForm).expect(200);
    expect(refreshOf(text)).toBe('/app/team/auth/end-session');
    const { headers } = await site.get('/app/team/auth/end-session').expect(302);
    const logout = new URL(headers.location as string);
    const end = 'http://127.0.0.1:3000/app/team/auth/logged-out';
    expect(logout.searchParams.get('post_logout_redirect_uri')).toBe(end);
    const { text: page } = await site.get('/app/team/auth/logged-out').expect(200);
    expect([...page.matchAll(/ href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      ...['/app/team/auth/clinician.css', '/app/team/'],
      ...['/app/team/auth/login?returnTo=%2F', '/app/team/'],
    ]);
  });

  test('returns from the button, whose paths are below it, to the page of the site or to its front page', async () => {
    const site = siteOf();
    const { signInButton, signOutButton, stylesheetURL, clientScriptURL, sessionCheckFrame } = site.clinician;
    const html = [signInButton(), signOutButton(), sessionCheckFrame()].join('');
    const paths = [...html.matchAll(/ (?:href|action|src)="([^"?]*)/g)].map(([, path]) => path);
    for (const path of [...paths, stylesheetURL, clientScriptURL]) expect(path).toMatch(/^\/app\/team\/auth\/[\w.-]+$/);
    expect(await signInFrom(site, '/app/team/auth/login')).toBe('/app/team/');
    const login = '/app/team/auth/login?prompt=login&returnTo=';
    expect(await signInFrom(site, `${login}${received('/app/team/me')}`)).toBe('/app/team/me');
    expect(await signInFrom(site, `${login}/app/team/me?a=/b`)).toBe('/app/team/me?a=/b');
  });
});

test('the cookies of sites below two paths of one host have separate names, for every path', async () => {
  const names = await Promise.all(
    [['/a'], ['/b'], [''], ['/a', '']].map(async ([path, basePath]) => {
      const callbackURL = `https://site.example${path}/auth/callback`;
      const options = { callbackURL, ...(basePath !== undefined && { basePath }) };
      const { app } = bareSite(provider, options, express().set('trust proxy', true));
      const { headers } = await supertest(app)
        .get(`${basePath ?? path}/auth/login`)
        .set('X-Forwarded-Proto', 'https')
        .expect(302);
      const [cookie = ''] = headers['set-cookie'] as unknown as string[];
      expect(cookie).toMatch(/^__Host-clinician-.*; Path=\/;/);
      return cookie.slice(0, '__Host-clinician-'.length + 6);
    }),
  );
  expect(new Set(names).size).toBe(4);
});
