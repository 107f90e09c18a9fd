import { expect, test } from '@jest/globals';
import type { VaultGrant } from '../../lib/token-vault/grant-records.js';
import { UnsavedTokens } from '../../lib/token-vault/unsaved-tokens.js';
import { movableClock } from './movable-clock.js';
import { rotatingServer } from './rotating-server.js';
import { nextTurn } from './vault-under-test.js';

const server = rotatingServer(movableClock());
const grant = (id: string) => ({ id, tokens: server.issue() }) as VaultGrant;

function unsavedUnderTest() {
  const steps: string[] = [];
  const state = { isDown: false };
  const call = async (step: string) => {
    steps.push(step);
    if (state.isDown) throw new Error('down');
  };
  const unsaved = new UnsavedTokens(({ replaced }) => call(`save ${replaced.id}`));
  const lock = (name: string) => ({ release: () => call(`release ${name}`) });
  const refreshed = (id: string) => ({ replaced: grant(id), tokens: server.issue() });
  return { unsaved, steps, state, lock, refreshed };
}

test('nothing is left, and a release does nothing', async () => {
  const { unsaved, steps } = unsavedUnderTest();
  await unsaved.release('a');
  await unsaved.releaseAll();
  expect([unsaved.isEmpty, unsaved.has('a'), unsaved.take('a'), steps]).toEqual([true, false, undefined, []]);
});

test('tokens are saved before their lock is released, and both are removed', async () => {
  const { unsaved, steps, lock, refreshed } = unsavedUnderTest();
  unsaved.add(refreshed('a'));
  unsaved.addLock('a', lock('a'));
  await unsaved.release('a');
  expect([steps, unsaved.isEmpty]).toEqual([['save a', 'release a'], true]);
});

test('a lock without tokens is released', async () => {
  const { unsaved, steps, lock } = unsavedUnderTest();
  unsaved.addLock('a', lock('a'));
  expect([unsaved.isEmpty, unsaved.has('a')]).toEqual([false, false]);
  await unsaved.release('a');
  expect(steps).toEqual(['release a']);
});

test('the later one of two locks of a grant is released: the first has expired', async () => {
  const { unsaved, steps, lock } = unsavedUnderTest();
  unsaved.addLock('a', lock('first'));
  unsaved.addLock('a', lock('second'));
  await unsaved.release('a');
  expect(steps).toEqual(['release second']);
});

test('while the store fails, tokens and lock remain, and the lock is not released', async () => {
  const { unsaved, steps, state, lock, refreshed } = unsavedUnderTest();
  unsaved.add(refreshed('a'));
  unsaved.addLock('a', lock('a'));
  state.isDown = true;
  await expect(unsaved.release('a')).rejects.toThrow('down');
  expect([steps, unsaved.has('a')]).toEqual([['save a'], true]);
  state.isDown = false;
  await unsaved.release('a');
  expect(unsaved.isEmpty).toBe(true);
});

test('concurrent calls save the tokens once', async () => {
  const { unsaved, steps, refreshed } = unsavedUnderTest();
  unsaved.add(refreshed('a'));
  await Promise.all([unsaved.release('a'), unsaved.releaseAll(), unsaved.release('a')]);
  expect(steps).toEqual(['save a']);
});

test('tokens that are taken are returned once, and their lock remains', async () => {
  const { unsaved, steps, lock, refreshed } = unsavedUnderTest();
  const tokens = refreshed('a');
  unsaved.add(tokens);
  unsaved.addLock('a', lock('a'));
  expect([unsaved.take('a'), unsaved.take('a')]).toEqual([tokens, undefined]);
  await unsaved.release('a');
  expect(steps).toEqual(['release a']);
});

test('each grant is tried, in turn, also where the store fails with one before it', async () => {
  const { unsaved, steps, state, refreshed } = unsavedUnderTest();
  for (const id of ['a', 'b']) unsaved.add(refreshed(id));
  state.isDown = true;
  await expect(unsaved.releaseAll()).rejects.toThrow('down');
  expect(steps).toEqual(['save a', 'save b']);
  state.isDown = false;
  await unsaved.releaseAll();
  expect([steps, unsaved.isEmpty]).toEqual([['save a', 'save b', 'save a', 'save b'], true]);
});

test('tokens that are added during a release remain', async () => {
  const { unsaved, refreshed } = unsavedUnderTest();
  let release = () => {};
  unsaved.addLock('a', { release: () => new Promise((resolve) => (release = resolve)) });
  const releasing = unsaved.release('a');
  await nextTurn();
  unsaved.add(refreshed('a'));
  release();
  await releasing;
  expect(unsaved.has('a')).toBe(true);
});

test('of more than 10,000 grants, those that were added last remain', () => {
  const { unsaved, refreshed } = unsavedUnderTest();
  const tokens = refreshed('first');
  unsaved.add(tokens);
  for (let count = 0; count < 10_000; count += 1)
    unsaved.add({ ...tokens, replaced: { ...tokens.replaced, id: `${count}` } });
  expect([unsaved.has('first'), unsaved.has('0')]).toEqual([false, true]);
});
