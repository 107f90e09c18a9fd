import type { ServerResponse } from 'node:http';
import { DENIALS } from '../errors/denials.js';
import { type ClinicianError, type DenialLink, DeniedError, isClinicianError } from '../errors/errors.js';
import { isSpeculative } from '../express/responses.js';
import { userMessage } from '../html/error-pages.js';
import { defined } from '../http/json.js';
import type { SessionRequest } from '../session/site-session.js';
import { type PassportOutcome, passportOutcome } from './passport-errors.js';
import type { StrategyParts } from './strategy-options.js';

/** Why a sign-in has failed; see {@link ClinicianStrategy.signInFailure}. */
export interface SignInFailure {
  code: string;
  /** A text for the user, in the language of option `texts`. Escape it: it may come from `deny()`. */
  message: string;
  /** The page that the sign-in was started for, for another one; `/` if it is not known. */
  returnTo: string;
  /** The link of `deny()`. */
  link?: DenialLink;
}

type FailureParts = Pick<StrategyParts, 'savedFailure' | 'look' | 'paths'>;

/**
 * @param returnTo the page that the sign-in was started for
 * @returns the outcome of a sign-in, whose failure is saved for the page of `failureRedirect`. Other outcomes remove a saved one.
 */
export async function savingFailure(
  pending: Promise<PassportOutcome>,
  { savedFailure, look }: FailureParts,
  req: SessionRequest,
  res: ServerResponse,
  returnTo: string,
): Promise<PassportOutcome> {
  const keep = (error: ClinicianError | undefined) => {
    if (res.headersSent) return;
    if (error) savedFailure.save({ error, mode: 'page', returnTo, isUnread: true }, req, res);
    else savedFailure.clear(req, res);
  };
  try {
    const outcome = await pending;
    const reason = 'fail' in outcome ? (outcome.fail as { message?: unknown }).message : undefined;
    keep('fail' in outcome ? new DeniedError('sign_in_refused', String(reason ?? DENIALS.sign_in_refused)) : undefined);
    return outcome;
  } catch (error) {
    const isFailure = isClinicianError(error) && 'fail' in passportOutcome(error, look.texts);
    keep(isFailure ? error : undefined);
    throw error;
  }
}

/** @returns why the last sign-in of this browser has failed, once. */
export function takeFailure(
  { savedFailure, look, paths }: FailureParts,
  req: SessionRequest,
  res: ServerResponse,
): SignInFailure | undefined {
  const failed = savedFailure.read(req);
  if (failed === undefined) return undefined;
  if (!isSpeculative(req)) savedFailure.clear(req, res);
  const { code, link } = failed.error;
  const message = userMessage(failed.error, 'signIn', { texts: look.texts });
  return { code, message, returnTo: paths.inBrowser(req, failed.returnTo), ...defined({ link }) };
}
