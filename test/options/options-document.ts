import { type MemberDoc, membersOf, table } from '../documents.js';

const RELYING_PARTY = 'lib/options/options.ts';
const LOGIN = 'lib/express/login-options.ts';
const MOCK = 'lib/mock-provider/options';

type Section = readonly [title: string, text: string, interfaces: readonly (readonly [file: string, name: string])[]];

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
  ],
  ['Further options of `ClinicianStrategy`', '', [['lib/passport/strategy-options.ts', 'ClinicianStrategyOptions']]],
  [
    'Options of a login',
    "Of `clinician.login()` and `passport.authenticate('clinician')`, in addition to Passport's own. `clinician.signInButton()` and links to the login route have them without `idTokenHint`.",
    [['lib/sign-in/login-request.ts', 'LoginOptions']],
  ],
  [
    'Options of `startMockProvider()`',
    "The config file of [`passport-clinician mock-provider`](command-line.md) has the same options. A duration (`Duration`) is a number of milliseconds, or text such as `'30 minutes'` or `'1h 30m'`.",
    [[`${MOCK}/provider-options.ts`, 'MockProviderOptions']],
  ],
  ['The option `lifetimes`', '', [[`${MOCK}/provider-options.ts`, 'LifetimeOptions']]],
  ['The option `rateLimit`', '', [[`${MOCK}/provider-options.ts`, 'RateLimitOptions']]],
  [
    'A client: the option `clients` and `provider.registerClient()`',
    'In a config file, `clientID` and `clientSecret` are required.',
    [[`${MOCK}/client-registration.ts`, 'ClientRegistration']],
  ],
  [
    'A clinician: the option `clinicians` and `provider.clinicians.add()`',
    '',
    [
      [`${MOCK}/clinician-options.ts`, 'ClinicianOptions'],
      [`${MOCK}/clinician-options.ts`, 'ClinicianProfileFields'],
    ],
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

function section([title, text, interfaces]: Section): string {
  const members = interfaces.flatMap(([file, name]) => membersOf(file, name));
  const hasDefaults = members.some((member) => member.isRequired || member.default !== undefined);
  const columns = ['Option', 'Type', 'Description', ...(hasDefaults ? ['Default'] : [])];
  const rows = members.map((member) => row(member).slice(0, columns.length));
  return `\n## ${title}\n\n${text === '' ? '' : `${text}\n\n`}${table(columns, rows)}`;
}

function row({ name, type, isRequired, description, default: byDefault = '' }: MemberDoc): string[] {
  const cells = [description, isRequired ? 'required' : byDefault];
  const shownType = type
    .replaceAll('readonly ', '')
    .replace(' | undefined', '')
    .replace('FlowName', "'openid' | 'profile'");
  return [`\`${name}\``, `\`${shownType}\``, ...cells].map((cell) => cell.replaceAll('|', '\\|'));
}
