import { BenchProcess } from '../process.mjs';

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Several processes of a site. The callback URL of all of them is that of the first. @param of the module of the site */
export default async function start({ of, processes, ...options }) {
  const first = await BenchProcess.start(of, options);
  const all = [first];
  const publicOrigin = first.info.origin;
  while (all.length < processes) all.push(await BenchProcess.start(of, { ...options, publicOrigin }));
  const total = async (operation) => sum(await Promise.all(all.map((one) => one.call(operation))));
  return {
    info: { ...first.info, origins: all.map(({ info }) => info.origin) },
    operations: { cpu: () => total('cpu'), memory: () => total('memory') },
  };
}
