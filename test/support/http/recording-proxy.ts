import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes requests on to a server and keeps their headers, by the address. */
export async function startRecordingProxy(target: string): Promise<{
  url: string;
  received: { url: string; headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}> {
  const received: { url: string; headers: IncomingHttpHeaders }[] = [];
  const { port, pathname } = new URL(target);
  const server = createServer((incoming, response) => {
    const { method, url = '', headers } = incoming;
    received.push({ url, headers });
    const path = pathname.replace(/\/$/, '') + url;
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
