import { promisify } from 'node:util';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { ClinicianLogin, FlowName } from 'passport-clinician';
import { setNotice } from './notice.js';
import { ifAvailable } from './service-data.js';
import { formatTime, type ShowPage } from './views.js';

interface Parts {
  clinician: ClinicianLogin;
  flow: FlowName;
  showPage: ShowPage;
}

const FIVE_MINUTES_MS = 5 * 60 * 1000;

/** Adds the account of the user: what this site stores, the state of the tokens, and the forms that change them. */
export function addAccount(app: Express, parts: Parts): void {
  const { clinician } = parts;
  // Rejects requests from other sites: these routes change data.
  const ownForm = [clinician.requireLogin(), express.urlencoded({ extended: false }), clinician.requireSameOrigin()];
  addOverview(app, parts);
  addStoredData(app, parts);
  addTokens(app, clinician, ownForm);
}

function addOverview(app: Express, { clinician, showPage }: Parts): void {
  app.get('/account', clinician.requireLogin(), async (req, res) => {
    const { identity, flow, scope } = req.clinician;
    const rateLimit = await ifAvailable(() => clinician.api(req).rateLimit());
    const tokens = await clinician.grant(req).state();
    const verification = await clinician.verification(req);
    await showPage(req, res, 'account', { identity, flow, scope, verification, tokens, rateLimit });
  });
}

function addStoredData(app: Express, { clinician, flow }: Parts): void {
  // The copy of the data needs a recent sign-in. Only the `openid` flow can prove the time of a sign-in.
  const recentLogin =
    flow === 'openid' ? clinician.requireRecentLogin({ maxAge: FIVE_MINUTES_MS }) : clinician.requireLogin();
  app.get('/account/data', recentLogin, (req, res) => {
    res.attachment('rounds.json').json({ id: req.clinician.identity?.id });
  });
}

function addTokens(app: Express, clinician: ClinicianLogin, ownForm: RequestHandler[]): void {
  app.post('/account/refresh', ownForm, async (req: Request, res: Response) => {
    await clinician.grant(req).refresh();
    const tokens = await clinician.grant(req).state();
    if (tokens) {
      setNotice(req, `The access token was refreshed. The new one is valid until ${formatTime(tokens.expiresAt)}.`);
    }
    res.redirect(303, '/account');
  });

  // Signs in again with the password, and returns to the account.
  app.post('/account/confirm', ownForm, async (req: Request, res: Response) => {
    await clinician.login(req, res, { prompt: 'login', returnTo: '/account' });
  });

  // Revoked tokens end this sign-in: the next page requires a new one.
  app.post('/account/revoke', ownForm, async (req: Request, res: Response) => {
    await clinician.grant(req).revoke();
    await promisify(req.session.regenerate).call(req.session);
    setNotice(req, 'Your tokens were revoked. You are signed out.');
    res.redirect(303, '/');
  });
}
