import { code, entry, type MemberDoc, membersOf } from '../documents.js';

const RELYING_PARTY = 'lib/options/options.ts';
const LOGIN = 'lib/express/login-options.ts';
const LOGIN_TITLE = 'Options of a login';
const MOCK = 'lib/mock-provider/options';

/** With a path, the options are those of another option: each heading of the page has its own anchor. */
type Section = readonly [
  title: string,
  text: string,
  interfaces: readonly (readonly [file: string, name: string])[],
  path?: string,
];

const SECTIONS: readonly Section[] = [
  [
    'Options of every sign-in',
    '`clinicianLogin()` and `ClinicianStrategy` check these options when the site starts. A duration is a number of milliseconds.',
    [[RELYING_PARTY, 'RelyingPartyOptions']],
  ],
  [
    'Further options of `clinicianLogin()`',
    'Of these, `ClinicianStrategy` has `pages`, `texts` and `onEvent`.',
    [[LOGIN, 'ClinicianLoginOptions']],
  ],
  [
    'The option `routes`',
    'The paths of the mounted routes. `false` omits a route.',
    [['lib/options/routes.ts', 'Routes']],
    'routes.',
  ],
  ['Further options of `ClinicianStrategy`', '', [['lib/passport/strategy-options.ts', 'ClinicianStrategyOptions']]],
  [
    LOGIN_TITLE,
    "Of `clinician.login()` and `passport.authenticate('clinician')`, in addition to Passport's own. `clinician.signInButton()` and links to the login route have them without `idTokenHint`.",
    [['lib/sign-in/login-request.ts', 'LoginOptions']],
  ],
  [
    'Options of `startMockProvider()`',
    "The config file of [`passport-clinician mock-provider`](command-line.md) has the same options. A duration (`Duration`) is a number of milliseconds, or text such as `'30 minutes'` or `'1h 30m'`.",
    [[`${MOCK}/provider-options.ts`, 'MockProviderOptions']],
  ],
  ['The option `lifetimes`', '', [[`${MOCK}/provider-options.ts`, 'LifetimeOptions']], 'lifetimes.'],
  ['The option `rateLimit`', '', [[`${MOCK}/provider-options.ts`, 'RateLimitOptions']], 'rateLimit.'],
  [
    'A client: the option `clients` and `provider.registerClient()`',
    'In a config file, `clientID` and `clientSecret` are required.',
    [[`${MOCK}/client-registration.ts`, 'ClientRegistration']],
    'clients[].',
  ],
  [
    'A clinician: the option `clinicians` and `provider.clinicians.add()`',
    '',
    [
      [`${MOCK}/clinician-options.ts`, 'ClinicianOptions'],
      [`${MOCK}/clinician-options.ts`, 'ClinicianProfileFields'],
    ],
    'clinicians[].',
  ],
  [
    'A fault: `provider.faults.next()` and `.always()`',
    '[Rules and faults](../assurance/rules-and-faults.md#faults) lists the faults.',
    [['lib/mock-provider/faults/fault.ts', 'FaultOptions']],
  ],
];

/** @returns docs/reference/options.md. */
export function optionsDocument(): string {
  const introduction = `# Options

Look up what you can configure, with its default; your editor shows the same text. An unknown or invalid option throws an error that names
the option and the fix.
`;
  return introduction + SECTIONS.map(section).join('');
}

function section([title, text, interfaces, path = '']: Section): string {
  const members = interfaces.flatMap(([file, name]) => membersOf(file, name));
  const entries = members.filter(({ description }) => description !== '');
  const others = members.filter(({ description }) => description === '');
  // The site has an option `scope` too.
  const headingOf = (name: string) =>
    code(path + name) + (name === 'scope' && title === LOGIN_TITLE ? ' of a login' : '');
  const parts = entries.map((member) => entry(headingOf(member.name), `${factsOf(member)}\n\n${member.description}`));
  if (others.length > 0)
    parts.push(
      `\nThe other members: ${others.map((member) => `${code(member.name)} (${typeOf(member)})`).join(', ')}.\n`,
    );
  return `\n## ${title}\n${text === '' ? '' : `\n${text}\n`}${parts.join('')}`;
}

function factsOf(member: MemberDoc): string {
  const { isRequired, default: byDefault } = member;
  if (isRequired) return `${typeOf(member)}, required`;
  if (byDefault === undefined) return typeOf(member);
  return `${typeOf(member)}, default: ${/^[^\s`]+$/.test(byDefault) ? code(byDefault) : byDefault}`;
}

function typeOf({ type }: MemberDoc): string {
  const shown = type
    .replaceAll('readonly ', '')
    .replace(' | undefined', '')
    .replace('FlowName', "'openid' | 'profile'");
  return code(shown);
}
