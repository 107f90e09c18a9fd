// The environment of each test file.
import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';

const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...parameters) {
  used.add(this);
  return run.apply(this, parameters);
};

const cancellations = [];
const subscribed = channel('passport-clinician:test-environment');
subscribed.subscribe(() => undefined);
const ActiveChannel = Object.getPrototypeOf(subscribed);
for (const [method, inverse] of [
  ['subscribe', 'unsubscribe'],
  ['bindStore', 'unbindStore'],
]) {
  const original = ActiveChannel[method];
  ActiveChannel[method] = function (subscriber, ...others) {
    if (this.name.includes('passport-clinician:')) cancellations.push(() => this[inverse](subscriber));
    return original.call(this, subscriber, ...others);
  };
}

/**
 * Ends what a test file leaves in the modules of Node, which all files of a process share.
 *
 * It removes the subscribers of the package's channels. A program of the documentation subscribes for as long as its process runs.
 *
 * It disables every AsyncLocalStorage of a test file when the file ends. jest-circus creates one for each file and never disables
 * it. Node 20 then copies the values of all earlier files to each new promise and timer, which took 40 % of the time of 150 files.
 */
export default class TestEnvironment extends NodeEnvironment {
  async teardown() {
    for (const storage of used) storage.disable();
    used.clear();
    for (const cancel of cancellations.splice(0)) cancel();
    await super.teardown();
  }
}
