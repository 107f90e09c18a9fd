// Prints the API reference of the documentation site: every public name of each entry point, with its TSDoc.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-5.9';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Interfaces of which docs/reference/options.md lists the members. */
const OPTIONS = {
  RelyingPartyOptions: 'options-of-every-sign-in',
  ClinicianLoginOptions: 'further-options-of-clinicianlogin',
  Routes: 'the-option-routes',
  ClinicianStrategyOptions: 'further-options-of-clinicianstrategy',
  LoginOptions: 'options-of-a-login',
  MockProviderOptions: 'options-of-startmockprovider',
  LifetimeOptions: 'the-option-lifetimes',
  RateLimitOptions: 'the-option-ratelimit',
  ClientRegistration: 'a-client-the-option-clients-and-providerregisterclient',
  ClinicianOptions: 'a-clinician-the-option-clinicians-and-providercliniciansadd',
  ClinicianProfileFields: 'a-clinician-the-option-clinicians-and-providercliniciansadd',
  FaultOptions: 'a-fault-providerfaultsnext-and-always',
};

const { config } = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
const ENTRIES = Object.entries(config.compilerOptions.paths)
  .filter(([name]) => name.startsWith('passport-clinician'))
  .map(([name, [file]]) => [name, file.replace('./', '')]);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
const program = ts.createProgram({ rootNames: ENTRIES.map(([, file]) => `${root}/${file}`), options });
const checker = program.getTypeChecker();

const line = (text) => text.replaceAll(/\s+/g, ' ').trim();
/** A type or a signature as code on one line, without comments. */
const codeOf = (node) =>
  line(
    node
      .getText()
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .replaceAll(/\breadonly (?=\w+\??:)/g, ''),
  ).replaceAll(/,? \}/g, ' }');
const inCode = (text) => `\`${text}\``;
const isOurs = (node) => !relative(root, node.getSourceFile().fileName).includes('node_modules');

function withLinks(parts) {
  const text = ts.displayPartsToString(parts).replaceAll(/\{@link[\s*]+([\w.]+)\s*\}/g, '`$1`');
  return line(text.replaceAll(/```[\s\S]*?```/g, '')).replaceAll('<', '&lt;');
}

/** @returns the description of a symbol, with what it takes, returns and throws. */
function descriptionOf(symbol) {
  const summary = withLinks(symbol.getDocumentationComment(checker));
  const tags = symbol.getJsDocTags(checker).map(({ name, text = [] }) => {
    const words = withLinks(text);
    if (name === 'returns') return `Returns ${words}`;
    if (name === 'default') return `Default: ${words}`;
    if (name === 'throws') return `Throws ${words}`;
    if (name === 'param') return words.replace(/^(\S+)\s*-?\s*/, '`$1`: ');
    return '';
  });
  return [summary, ...tags]
    .filter(Boolean)
    .map((text) => (/[.:`]$/.test(text) ? text : `${text}.`))
    .join(' ');
}

function isHidden(symbol) {
  const [declaration] = symbol.declarations ?? [];
  const flags = declaration ? ts.getCombinedModifierFlags(declaration) : 0;
  const isInternal = symbol.getJsDocTags(checker).some(({ name }) => name === 'internal');
  if (!declaration || !isOurs(declaration) || isInternal || symbol.name.startsWith('__@')) return true;
  const isPrivate = declaration.name && ts.isPrivateIdentifier(declaration.name);
  return isPrivate || (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0;
}

/** @returns the declaration of a member as code: `api(req: SessionRequest): ResourceAPI` */
function memberCode(declaration) {
  const { name, parameters, type, questionToken } = declaration;
  const typeParameters = declaration.typeParameters ? `<${declaration.typeParameters.map(codeOf).join(', ')}>` : '';
  const result = type ? `: ${codeOf(type)}` : '';
  if (!parameters) return `${codeOf(name)}${questionToken ? '?' : ''}${result}`;
  return `${name ? codeOf(name) : 'constructor'}${typeParameters}(${parameters.map(codeOf).join(', ')})${result}`;
}

function membersOf(symbol, exported) {
  const properties = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol));
  const others = new Set();
  const rows = properties
    .filter((member) => !isHidden(member))
    .flatMap((member) => {
      const owner = member.declarations[0].parent;
      const ownerSymbol = owner.name && checker.getSymbolAtLocation(owner.name);
      if (ownerSymbol && ownerSymbol !== symbol && exported.has(ownerSymbol)) {
        others.add(ownerSymbol.name);
        return [];
      }
      const description = descriptionOf(member);
      return member.declarations.map(
        (declaration) => `- ${inCode(memberCode(declaration))}${description ? `  \n  ${description}` : ''}`,
      );
    });
  if (others.size > 0) rows.push(`- and the members of ${[...others].map(inCode).join(', ')}`);
  return rows;
}

function headOf(declaration, name) {
  if (ts.isFunctionDeclaration(declaration)) return memberCode(declaration);
  if (ts.isTypeAliasDeclaration(declaration)) return `type ${codeOf(declaration.name)} = ${codeOf(declaration.type)}`;
  if (ts.isVariableDeclaration(declaration)) return `${name}${declaration.type ? `: ${codeOf(declaration.type)}` : ''}`;
  const kind = ts.isClassDeclaration(declaration) ? 'class' : 'interface';
  const heritage = (declaration.heritageClauses ?? []).map(codeOf).join(' ');
  const parameters = declaration.typeParameters ? `<${declaration.typeParameters.map(codeOf).join(', ')}>` : '';
  return line(`${kind} ${name}${parameters} ${heritage}`);
}

function sectionOf(symbol, exported) {
  const declarations = symbol.declarations ?? [];
  const code = declarations.map((declaration) => headOf(declaration, symbol.name)).join('\n');
  const parts = [`### ${inCode(symbol.name)}`, `\`\`\`ts signature\n${code}\n\`\`\``, descriptionOf(symbol)];
  const anchor = OPTIONS[symbol.name];
  if (anchor) return [...parts, `[Its members](options.md#${anchor})`];
  if (
    declarations.some((declaration) => ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration))
  ) {
    const constructors = declarations.flatMap((declaration) =>
      ts.isClassDeclaration(declaration) ? declaration.members.filter(ts.isConstructorDeclaration) : [],
    );
    const signatures = constructors.some(({ body }) => !body) ? constructors.filter(({ body }) => !body) : constructors;
    parts.push(
      [
        ...signatures.map(
          (declaration) => `- ${inCode(`new ${symbol.name}${memberCode(declaration).replace('constructor', '')}`)}`,
        ),
        ...membersOf(symbol, exported),
      ].join('\n'),
    );
  }
  return parts;
}

const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
const shown = new Map();
const text = ENTRIES.map(([entry, file]) => {
  const module = checker.getSymbolAtLocation(program.getSourceFile(`${root}/${file}`));
  const symbols = checker.getExportsOfModule(module).map(resolved);
  const exported = new Set(symbols);
  const isValue = (symbol) => (symbol.flags & ts.SymbolFlags.Value) !== 0;
  const order = [...symbols].sort(
    (a, b) => Number(isValue(b)) - Number(isValue(a)) || a.name.localeCompare(b.name, 'en'),
  );
  const isNew = (symbol) => !shown.has(symbol);
  const again = order.filter((symbol) => !isNew(symbol)).map(({ name }) => inCode(name));
  const sections = order.filter(isNew).flatMap((symbol) => sectionOf(symbol, exported));
  for (const symbol of symbols) shown.set(symbol, entry);
  const repeated = again.length > 0 ? [`Also exports ${again.join(', ')}, as above.`] : [];
  return [`## ${inCode(entry)}`, ...sections, ...repeated].filter(Boolean).join('\n\n');
});

process.stdout.write(`# API

Look up any public name, with its signature; your editor shows the same text. Each entry point has first its functions and classes, then its types.

${text.join('\n\n')}
`);
