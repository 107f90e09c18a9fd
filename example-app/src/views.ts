import { fileURLToPath } from 'node:url';
import { Eta } from 'eta';
import type { Request, Response } from 'express';
import type { ClinicianLogin } from 'passport-clinician';
import { takeNotice } from './notice.js';

/** Sends a page of views/. Templates escape every value of `<%= %>`. */
export type Show = (req: Request, res: Response, view: string, data?: object) => void;

/** Sends a page of views/ with the name of the user, which is read after the guards and the data of the page. */
export type ShowPage = (req: Request, res: Response, view: string, data?: object) => Promise<void>;

/** @returns a time to the second, such as `2026-03-01 12:00:00 UTC`. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

const folder = fileURLToPath(new URL('../views', import.meta.url));

export function createViews(clinician: ClinicianLogin): Show {
  const beside = { size: 'small', variant: 'outline' } as const;
  const popupButton = clinician.signInButton({ ...beside, label: 'Sign in and stay here', display: 'popup' });
  const accountButton = clinician.signInButton({ ...beside, label: 'Create an account', prompt: 'create' });
  const eta = new Eta({ views: folder, cache: true, autoEscape: true });

  return function show(req, res, view, data = {}) {
    // Undefined while the session store is unavailable.
    const isAuthenticated = req.clinician?.isAuthenticated ?? false;
    const page = {
      path: req.path,
      notice: takeNotice(req),
      formatTime,
      isAuthenticated,
      userName: res.locals.userName,
      buttonStyles: clinician.stylesheetURL,
      clientScript: clinician.clientScriptURL,
      sessionCheck: isAuthenticated ? clinician.sessionCheckFrame() : '',
      signInButton: clinician.signInButton({
        size: 'large',
        returnTo: req.path.startsWith('/auth/') ? '/' : req.path,
      }),
      popupButton,
      accountButton,
      ...data,
    };
    res.send(eta.render(`./${view}`, page));
  };
}
