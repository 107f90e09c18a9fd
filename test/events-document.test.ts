import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ERROR_SECTIONS, WARNING_CODES } from '../lib/errors/error-codes.js';
import { EVENTS, LEVELS } from '../lib/events/event-table.js';
import { describeEvent } from '../lib/events/events.js';
import { root, sources } from './architecture/imports.js';
import { cell, code, expectSection, membersOf, table } from './documents.js';

const entries = Object.entries(EVENTS);
const names = Object.keys(EVENTS) as (keyof typeof EVENTS)[];

/** @returns the events with their levels and members, the members, and the levels of failures. */
function eventTables(): string {
  const levelOf = (level: string) => (level === 'by remedy' ? 'by `remedy`' : code(level));
  const events = entries.map(([name, { level, message, members }]) => [
    ...[code(name), levelOf(level), message],
    members
      .flatMap((member) => (member === 'code' ? ['code', 'remedy'] : [member]))
      .map(code)
      .join(', '),
  ]);
  const members = membersOf('lib/events/event-table.ts', 'EventMembers').map(({ name, description }) => [
    ...[code(name), description],
  ]);
  const levels = Object.entries(LEVELS).map(([remedy, level]) => [code(remedy), code(level)]);
  return [
    table(
      ['event', 'level', 'message', 'members'],
      events.map((row) => row.map(cell)),
    ),
    '\nThe message of a failure continues with its reason. Its `code` is one of [the error codes](../reference/errors.md), or an OAuth error of the service.\n\n',
    table(
      ['member', 'meaning'],
      members.map((row) => row.map(cell)),
    ),
    '\nThe level of a failure follows from its `remedy`:\n\n',
    table(['remedy', 'level'], levels),
  ].join('');
}

test('docs/operate/monitoring.md lists the events of the table', () => {
  expectSection('docs/operate/monitoring.md', 'events', eventTables(), 'npm run docs:events');
});

describe('the table of events', () => {
  test('has each event that the sources emit, and no other', () => {
    const text = sources('lib')
      .filter((file) => !/^lib\/(mock-provider\/|testing\/|cli\/|event-table\.ts)/.test(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const emitted = [...text.matchAll(/\bemit\(\s*'(\w+)'/g)].map(([, name]) => name as string);
    expect(emitted.filter((name) => !(name in EVENTS))).toEqual([]);
    expect(names.filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  });

  test('has messages of plain sentences', () => {
    const messages = entries.map(([, { message }]) => message);
    expect(messages.filter((text) => !/^[A-Z].*\.$/.test(text) || text.split(' ').length > 25)).toEqual([]);
  });

  test.each(names)('%s has a level that console has, and a message, for every code', (name) => {
    const codes = [...ERROR_SECTIONS.flatMap(([, section]) => Object.keys(section)), ...Object.keys(WARNING_CODES)];
    for (const known of [undefined, ...codes, 'invalid_client', 'unknown']) {
      const { level, message } = describeEvent(name, { code: known });
      expect(typeof console[level]).toBe('function');
      expect(message).toMatch(/^[A-Z].*\.$/);
    }
  });
});
