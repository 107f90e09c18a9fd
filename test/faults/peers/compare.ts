import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { root } from '../../architecture/imports.js';
import { attempt, type Result, type Trial } from './attempt.js';
import { ownSite, peerSite } from './peer-site.js';
import { PEERS, type Peer } from './peers.js';
import { FORGERIES, WIRE } from './trials.js';

/** What came of each trial at one peer. */
export type Column = ReadonlyMap<Trial, Result>;

const trials: readonly Trial[] = [...Object.values(FORGERIES), ...Object.values(WIRE)].flat();

/** Some wait in vain for these, and meanwhile the others go on. */
const SILENT: readonly string[] = ['noResponse', 'stalledAnswer', 'truncatedAnswer'];
const isSilent = ({ fault }: Trial) => SILENT.includes(fault);
const lanes: readonly (readonly Trial[])[] = [trials.filter((trial) => !isSilent(trial)), trials.filter(isSilent)];

/** All peers side by side. */
export function compareAll(): Promise<Column[]> {
  return Promise.all(
    PEERS.map(async (peer) => new Map((await Promise.all(lanes.map((lane) => results(peer, lane)))).flat())),
  );
}

/** At a provider of their own. */
async function results(peer: Peer, lane: readonly Trial[]): Promise<[Trial, Result][]> {
  const provider = await startMockProvider();
  const site = await (peer.site ? peerSite(provider, peer) : ownSite(provider));
  try {
    const all: [Trial, Result][] = [];
    for (const trial of lane) all.push([trial, await attempt(peer, site, provider, trial)]);
    return all;
  } finally {
    await site.stop();
    await provider.stop();
  }
}

/** @returns the version of a peer as it is installed. */
export function versionOf({ package: name }: Peer): string {
  const manifest = name === undefined ? 'package.json' : join('node_modules', name, 'package.json');
  return (JSON.parse(readFileSync(join(root, manifest), 'utf8')) as { version: string }).version;
}
