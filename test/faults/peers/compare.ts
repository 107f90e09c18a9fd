import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { root } from '../../house/imports.js';
import { attempt, type Result, type Trial } from './attempt.js';
import { ownSite, peerSite } from './peer-site.js';
import { PEERS, type Peer } from './peers.js';
import { FORGERIES, WIRE } from './trials.js';

/** What came of each trial at one peer. */
export type Column = ReadonlyMap<Trial, Result>;

const trials: readonly Trial[] = [...Object.values(FORGERIES), ...Object.values(WIRE)].flat();

/** Each peer at a provider of its own, all of them side by side. */
export function compareAll(): Promise<Column[]> {
  return Promise.all(PEERS.map(column));
}

async function column(peer: Peer): Promise<Column> {
  const provider = await startMockProvider();
  const site = await (peer.site ? peerSite(provider, peer) : ownSite(provider));
  try {
    const results = new Map<Trial, Result>();
    for (const trial of trials) results.set(trial, await attempt(peer, site, provider, trial));
    return results;
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
