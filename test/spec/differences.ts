import type { Difference } from './differences/difference.js';
import { LOOSER } from './differences/looser.js';
import { OTHER } from './differences/other.js';
import { STRICTER } from './differences/stricter.js';

/** Lists the intended differences from the service specification, in the order of docs/assurance/service-rules.md. */
export const DIFFERENCES: readonly (readonly [title: string, differences: readonly Difference[]])[] = [
  ['Looser', LOOSER],
  ['Stricter', STRICTER],
  ['Other', OTHER],
];
