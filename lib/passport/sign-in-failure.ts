import type { ServerResponse } from 'node:http';
import { DENIALS } from '../errors/denials.js';
import { type ClinicianError, DeniedError, isClinicianError } from '../errors/errors.js';
import type { SessionRequest } from '../session/site-session.js';
import { type PassportOutcome, passportOutcome } from './passport-errors.js';
import type { StrategyParts } from './strategy-options.js';

type FailureParts = Pick<StrategyParts, 'savedFailure' | 'look'>;

/**
 * @param returnTo the page that the sign-in was started for
 * @returns the outcome of a sign-in, whose failure is saved so that a `failureRedirect` to another sign-in does not loop. Other outcomes remove a saved one.
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
