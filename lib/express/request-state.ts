import type { FlowName } from '../authorization-server/flows.js';
import type { ClinicianRequestState, SessionLogin, Verification } from '../session/types.js';

/** What `req.clinician` is. Made for every request, so it reads nothing until it is asked. */
class RequestState implements ClinicianRequestState {
  readonly #login: SessionLogin | undefined;
  readonly #known: (login: SessionLogin) => Verification;
  readonly flow: FlowName;

  constructor(login: SessionLogin | undefined, flow: FlowName, known: (login: SessionLogin) => Verification) {
    this.#login = login;
    this.#known = known;
    this.flow = flow;
  }

  get isAuthenticated() {
    return this.#login !== undefined;
  }

  get identity() {
    return this.#login?.identity;
  }

  get scope() {
    return this.#login?.scope ?? [];
  }

  get verified() {
    return this.#login ? this.#known(this.#login) : 'unknown';
  }
}

export function createRequestState(
  login: SessionLogin | undefined,
  flow: FlowName,
  known: (login: SessionLogin) => Verification,
): ClinicianRequestState {
  return new RequestState(login, flow, known);
}
