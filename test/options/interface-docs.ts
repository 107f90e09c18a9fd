import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture/imports.js';

/** A member of an interface with its TSDoc. */
export interface MemberDoc {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** The text after `@default`. */
  readonly default: string | undefined;
}

const MEMBER = /(?: {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)? {2}(?:readonly )?(\w+)(\??): ([^\n]+);\n/g;

/** Reads the members of an exported interface from its formatted source, without those that it inherits. */
export function membersOf(file: string, name: string): MemberDoc[] {
  const source = readFileSync(join(root, file), 'utf8');
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source)?.[1];
  if (body === undefined) throw new Error(`${file} has no interface ${name}`);
  const members = [...body.matchAll(MEMBER)].map(([, comment = '', member = '', optional, type = '']) => {
    const text = comment
      .replaceAll(/\n\s*\*/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const [description = '', byDefault] = text.split(/\s*@default\s+/);
    return {
      name: member,
      type,
      isRequired: optional === '',
      description: description.replaceAll(/\{@link (\w+)\}/g, '`$1`'),
      default: byDefault,
    };
  });
  if (members.length !== body.match(/^ {2}(readonly )?\w+\??:/gm)?.length)
    throw new Error(`not all of ${name} was read`);
  return members;
}
