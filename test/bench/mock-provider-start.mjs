// Measures the time that startMockProvider() takes: cold in a new process, and warm.
//   npm run build && node test/bench/mock-provider-start.mjs
const startedAt = performance.now();
const { startMockProvider } = await import('passport-clinician/mock-provider');
const importedAt = performance.now();
const first = await startMockProvider();
const listeningAt = performance.now();
await (await fetch(`${first.issuer}/.well-known/openid-configuration`)).text();
const respondedAt = performance.now();
await first.stop();

const warm = [];
for (let i = 0; i < 30; i += 1) {
  const start = performance.now();
  const provider = await startMockProvider();
  warm.push(performance.now() - start);
  await provider.stop();
}
warm.sort((a, b) => a - b);
const ms = (value) => `${value.toFixed(1)} ms`;
console.log(
  `import ${ms(importedAt - startedAt)}, first start ${ms(listeningAt - importedAt)}, first response ${ms(respondedAt - listeningAt)}`,
);
console.log(`warm start: median ${ms(warm[15])}, slowest ${ms(warm.at(-1))}`);
process.exitCode = warm.at(-1) < 30 ? 0 : 1;
