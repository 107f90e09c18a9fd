// Runs in the process of a target or of the load generator. Arguments: the URL of the module, and the options as JSON. The module
// exports a function that returns `info`, which is sent to the runner, and `operations` that the runner calls.
const [file, options] = process.argv.slice(2);

function cpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Buffers are outside the heap. The garbage of one collection may be found by the next one only. */
async function memory() {
  for (let i = 0; i < 4; i += 1) {
    globalThis.gc();
    await new Promise(setImmediate);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function respond(id, run) {
  try {
    process.send({ id, result: await run() });
  } catch (error) {
    process.send({ id, error: error.stack });
  }
}

let operations = {};
process.on('message', ({ id, operation, argument }) => respond(id, () => operations[operation](argument)));
process.on('disconnect', () => process.exit());
await respond(0, async () => {
  const { default: start } = await import(file);
  const started = await start(JSON.parse(options));
  operations = { cpu, memory, ...started.operations };
  return started.info;
});
