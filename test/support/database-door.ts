import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { TestConnection } from './database.js';

/** A door in front of the database that can be shut, so that to the portal the database is away. */
export class DatabaseDoor {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;

  constructor(private readonly behind: TestConnection) {}

  /** Lets connections through, always on the same port. */
  async open(): Promise<TestConnection> {
    const { host, port } = this.behind;
    const server = createServer((incoming) => {
      const outgoing = host.startsWith('/')
        ? createConnection(`${host}/.s.PGSQL.${port}`)
        : createConnection({ host, port });
      for (const socket of [incoming, outgoing]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.sockets.delete(socket);
          incoming.destroy();
          outgoing.destroy();
        });
      }
      incoming.pipe(outgoing).pipe(incoming);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
    this.port = (server.address() as { port: number }).port;
    return { ...this.behind, host: '127.0.0.1', port: this.port };
  }

  /** Breaks every connection; new ones are refused. */
  async shut(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    this.breakAll();
    await closed;
  }

  breakAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
