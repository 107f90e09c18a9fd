/** Reports an error response of the control API: a code for programs and a message for developers. */
export class ControlError extends Error {
  readonly status: number;
  /** `bad_request`, `forbidden`, `not_found`, `method_not_allowed`, `too_large`, `unsupported_media_type`. */
  readonly error: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

export function badRequest(message: string): ControlError {
  return new ControlError(400, 'bad_request', message);
}
