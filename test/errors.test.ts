import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { FIXES } from '../lib/authorization-server/oauth-error.js';
import { ERROR_CLASSES, ERROR_SECTIONS, REMEDIES, WARNING_CODES } from '../lib/errors/error-codes.js';
import {
  ClinicianError,
  ConfigurationError,
  DeniedError,
  type ErrorCode,
  isClinicianError,
  type OAuthErrorCode,
  ProtocolError,
  ServiceUnavailableError,
} from '../lib/errors/errors.js';
import { root, sources } from './architecture/imports.js';
import { entry, expectGenerated, code as inCode } from './documents.js';

const INTRODUCTION = `# Errors

Find what an error means and what resolves it. Every error of this package has these properties:

| property | meaning |
|---|---|
| \`code\` | stable within a major version: one of the codes below, or the [OAuth error of the service](#codes-of-the-service) |
| \`status\`, \`statusCode\` | the HTTP status for the site's response |
| \`remedy\` | what resolves the error |
| \`retryable\` | true when the same call may succeed later: \`remedy\` is \`retry\` |
| \`retryAt\` | the earliest time of a retry, in milliseconds since the Unix epoch, if it is known |
| \`see\` | the place of its explanation on this page, or in [Options](options.md): an address, or a path in the repository that the package was built from |

\`isClinicianError(error)\` recognizes the errors, even if a process contains two copies of this package. In TypeScript, \`error.code\` has the type \`ErrorCode | OAuthErrorCode\`.

Errors contain no credentials. \`cause\` is a summary of another library's error: its name, its code, and the messages of the error and its causes, with a mask in place of everything that looks like a credential. Only the \`cause\` of \`site_error\` and \`serialize_user_missing\` is the exception itself, because your code threw it. Text from the token endpoint is in \`errorDescription\`, not in \`message\`; it is absent if it repeats a credential in any encoding. An OAuth error that does not match \`^[a-z][a-z0-9_]{0,63}$\`, or looks like a credential, has the code \`server_error\`.

| remedy | what to do |
|---|---|
${Object.entries(REMEDIES)
  .map(([remedy, text]) => `| \`${remedy}\` | ${text} |\n`)
  .join('')}`;

const SERVICE = `
## Codes of the service

These codes are in RFC 6749 (sections 4.1.2.1 and 5.2) and in OpenID Connect Core (section 3.1.2.6). \`error.remedy\` says what resolves each.

- \`invalid_grant\`: The code or the refresh token has expired, or was revoked or used before. The user signs in again.
${[...FIXES].map(([code, fix]) => `- ${inCode(code)}: ${fix}\n`).join('')}`;

const WARNINGS = `
## Warnings

These codes are not thrown. They appear in events and, without option onEvent, on stderr.
`;

/** @returns docs/reference/errors.md. */
function errorsDocument(): string {
  const sections = ERROR_SECTIONS.map(([title, codes]) => {
    const errors = Object.entries(codes).map(([code, [errorClass, meaning]]) => {
      const { remedy, status } = ERROR_CLASSES[errorClass];
      return entry(inCode(code), `${meaning}\n\n\`${errorClass}\`, status ${status}, remedy \`${remedy}\``);
    });
    return `\n## ${title}\n${errors.join('')}`;
  });
  const warnings = Object.entries(WARNING_CODES).map(([code, meaning]) => entry(inCode(code), meaning));
  return INTRODUCTION + sections.join('') + SERVICE + WARNINGS + warnings.join('');
}

const entries = ERROR_SECTIONS.flatMap(([, codes]) => Object.entries(codes));
const codes = [...entries.map(([code]) => code), ...Object.keys(WARNING_CODES)];

test('docs/reference/errors.md is generated from the table of error codes', () => {
  expectGenerated('docs/reference/errors.md', errorsDocument(), 'npm run docs:errors');
});

describe('the table of error codes', () => {
  test('has each code once', () => {
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  test('has a meaning of at most 25 words for each code', () => {
    const meanings = [...entries.map(([, [, meaning]]) => meaning), ...Object.values(WARNING_CODES)];
    expect(meanings.filter((text) => !/^[A-Z`].*\.$/.test(text) || text.split(' ').length > 25)).toEqual([]);
  });

  test('has no code that the sources do not use', () => {
    const used = new Set(
      sources('lib')
        .filter((file) => !/^lib\/(mock-provider\/|testing\/|cli\/|error-codes\.ts)/.test(file))
        .flatMap((file) => [...readFileSync(join(root, file), 'utf8').matchAll(/'([a-z_]+)'/g)])
        .map(([, word]) => word),
    );
    const unused = codes.filter((code) => !used.has(code));
    expect(unused.map((code) => `no error or warning of lib has the code ${code}`)).toEqual([]);
  });
});

function own(): never {
  throw new Error('of the getter');
}

function circular(): Error {
  const error = new Error('again');
  error.cause = error;
  return error;
}

describe('an error', () => {
  test('has the status and the remedy of its class', () => {
    const error = new DeniedError('access_denied', 'why');
    expect(error).toMatchObject({ name: 'DeniedError', code: 'access_denied', ...ERROR_CLASSES.DeniedError });
    expect(error.statusCode).toBe(error.status);
    expect(error.retryable).toBe(false);
    expect(new ServiceUnavailableError('service_unreachable', 'why').retryable).toBe(true);
  });

  test('names its heading in the documentation, by its address if the build knows the repository', () => {
    const { see } = new DeniedError('access_denied', 'why');
    expect(see).toBe('docs/reference/errors.md#access_denied');
    const ofService = new ClinicianError('why', { code: 'invalid_client', ...ERROR_CLASSES.ConfigurationError });
    expect(ofService.see).toBe('docs/reference/errors.md#codes-of-the-service');
    const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8');
    for (const heading of ['### `access_denied`', '## Codes of the service']) expect(page).toContain(heading);
    Object.assign(globalThis, { FILES_URL: 'https://code.example/blob/v1/' });
    expect(new DeniedError('access_denied', 'why').see).toBe(`https://code.example/blob/v1/${see}`);
    Object.assign(globalThis, { FILES_URL: '' });
  });

  test('prints neither its cause nor its stack as JSON', () => {
    const error = new ProtocolError('response_malformed', 'why', new TypeError('because'));
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'ProtocolError',
      code: 'response_malformed',
      message: 'why',
      retryable: false,
    });
    expect(Object.keys(error)).not.toContain('cause');
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'because' });
  });

  test('has a summary of its cause: name, code and the messages, also of nested causes', () => {
    const [first, second] = ['first', 'second'].map((host) =>
      Object.assign(new Error(`connect ECONNREFUSED ${host}`), { code: 'ECONNREFUSED', request: 'planted' }),
    );
    const cause = new TypeError('fetch failed', { cause: new AggregateError([first, second], '') });
    const { cause: summary } = new ProtocolError('response_malformed', 'why', cause);
    expect(summary).toMatchObject({
      name: 'TypeError',
      code: 'ECONNREFUSED',
      message: 'fetch failed: connect ECONNREFUSED first: connect ECONNREFUSED second',
    });
    expect(inspect(summary, { showHidden: true, depth: 9 })).not.toContain('planted');
  });

  test('has an error of this package as its cause, and an exception of the code of the site', () => {
    const own = new DeniedError('access_denied', 'why');
    expect(new ProtocolError('response_malformed', 'why', own).cause).toBe(own);
    const cause = Object.assign(new Error('of the site'), { request: 'its own' });
    expect(new ConfigurationError('site_error', 'why', { cause }).cause).toBe(cause);
  });

  test.each<[string, unknown, string]>([
    ['a string', 'failed', 'failed'],
    ['null', null, 'no message'],
    ['a number', 1, 'no message'],
    ['an object with a getter that throws', Object.defineProperty({}, 'message', { get: () => own() }), 'no message'],
    ['an error that is its own cause', circular(), 'again: again: again: again: again'],
  ])('has a summary of %s', (_, cause, message) => {
    expect(new ProtocolError('response_malformed', 'why', cause).cause).toMatchObject({ name: 'Error', message });
  });

  test('accepts the codes of its class only', () => {
    // @ts-expect-error a code of another class
    expect(new DeniedError('option_invalid', 'why').code).toBe('option_invalid');
    // @ts-expect-error a misspelled code
    expect(new DeniedError('acess_denied', 'why').code).toBe('acess_denied');
    const code: ErrorCode | OAuthErrorCode = new DeniedError('access_denied', 'why').code;
    expect(code).toBe('access_denied');
  });

  test('is recognized by its symbol, not by its class', () => {
    const symbol = Symbol.for('passport-clinician.error');
    expect(isClinicianError(new DeniedError('access_denied', 'why'))).toBe(true);
    expect(isClinicianError(Object.assign(new Error('of another copy'), { [symbol]: true }))).toBe(true);
    expect(isClinicianError(new Error('access_denied'))).toBe(false);
    expect(isClinicianError(undefined)).toBe(false);
  });
});
