/** The symbol of this package, a stethoscope: a path of strokes in a square of 24. `example-app/public/icon.svg` has it too. */
export const SYMBOL = 'M6 3H4v6a5 5 0 0 0 10 0V3h-2M9 14v2a5 5 0 0 0 10 0v-3a2 2 0 1 1 0-4 2 2 0 1 1 0 4';
