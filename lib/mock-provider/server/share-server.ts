import type { ResolvedOptions } from '../options/resolve-options.js';
import { PAGE_PATHS } from '../pages/paths.js';
import type { MockProviderApp } from './app.js';
import { type Listening, listen } from './server.js';

/** A server for the share-button script alone, where an option asks for one: sites then meet it on another origin, as at the service. */
export async function listenForShareScript(options: ResolvedOptions): Promise<Listening | undefined> {
  const { shareScriptPort } = options;
  return shareScriptPort === undefined ? undefined : listen({ ...options, port: shareScriptPort });
}

export function shareScriptAlone(app: MockProviderApp): MockProviderApp {
  return function shareScriptServer(req, res) {
    if (req.url?.split('?', 1)[0]?.endsWith(PAGE_PATHS.shareScript)) app(req, res);
    else res.writeHead(404).end();
  };
}
