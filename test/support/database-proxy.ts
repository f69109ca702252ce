import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { TestConnection } from './database.js';

/** Told a statement before it goes through; what it gives to `onAnswer` is done when it was executed, before the portal knows. */
export type Hear = (sql: string, onAnswer: (then: () => void) => void) => void;

/** A door in front of the database that can be shut, so that to the portal the database is away. */
export class DatabaseDoor {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private swallows = false;

  constructor(
    private behind: TestConnection,
    private readonly hear?: Hear,
  ) {}

  /** Lets connections through, always on the same port. */
  async open(): Promise<TestConnection> {
    const server = createServer((incoming) => {
      const { host, port } = this.behind;
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
      const { hear } = this;
      if (hear)
        incoming.on(
          'data',
          statements((sql) => hear(sql, (then) => outgoing.prependOnceListener('data', then))),
        );
      if (this.swallows) return;
      incoming.pipe(outgoing).pipe(incoming);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
    this.port = (server.address() as { port: number }).port;
    return { ...this.behind, host: '127.0.0.1', port: this.port };
  }

  /** Leads to another server from now on: connections to the one before break. */
  leadTo(behind: TestConnection): void {
    this.behind = behind;
    this.breakAll();
  }

  /** As when the way to the database is a black hole: connections stand, and nothing comes through any more. */
  swallow(): void {
    this.swallows = true;
    for (const socket of this.sockets) socket.unpipe();
  }

  /** The way is free again, for new connections. */
  stopSwallowing(): void {
    this.swallows = false;
    this.breakAll();
  }

  /** Breaks every connection, at once; new ones are refused. */
  async shut(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    this.breakAll();
    await closed;
  }

  breakAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Finds the statements in what a client sends: `Q` (simple query) and `P` (parse) of the PostgreSQL protocol, version 3. */
function statements(hear: (sql: string) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let greeted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // The first message has no type.
      const head = greeted ? 1 : 0;
      if (rest.length < head + 4) return;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return;
      const type = greeted ? String.fromCharCode(rest[0] ?? 0) : '';
      const texts = rest
        .subarray(head + 4, end)
        .toString('utf8')
        .split('\0');
      if (type === 'Q') hear(texts[0] ?? '');
      if (type === 'P') hear(texts[1] ?? '');
      greeted = true;
      rest = rest.subarray(end);
    }
  };
}
