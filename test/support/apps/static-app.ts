import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StaticApp {
  url: string;
  close(): Promise<void>;
}

/** An app on its own origin: one page or script for each path, and an empty icon. */
export async function startStaticApp(
  files: Record<string, { type: string; body: string | Buffer }>,
): Promise<StaticApp> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = files[pathname];
    if (pathname === '/favicon.ico') response.writeHead(204).end();
    else if (!file) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': file.type }).end(file.body);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The app of most tests: a page for the redirect URI. */
export function startCallbackApp(): Promise<StaticApp> {
  const body = '<!doctype html><html lang="en"><title>The app</title><h1>Back in the app</h1></html>';
  return startStaticApp({ '/callback': { type: 'text/html', body } });
}
