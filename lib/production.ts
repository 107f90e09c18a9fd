/**
 * @returns true if NODE_ENV says that users can reach this process. In any case and with spaces around it, because the mistake is
 * harmful in one direction only: `set NODE_ENV=production && node site.mjs` sets `production ` on Windows.
 */
export function isProduction(): boolean {
  return process.env.NODE_ENV?.trim().toLowerCase() === 'production';
}
