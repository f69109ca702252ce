import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import type { TestConnection } from './database.js';

/**
 * Called with each statement before the server gets it. A function given to `onAnswer` runs when the statement was executed, before
 * the portal knows. If it returns a text, the server fails with this SQLSTATE instead of executing the statement.
 */
export type Hear = (sql: string, onAnswer: (then: () => void) => void) => unknown;

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
      if (this.swallows) return;
      const { hear } = this;
      const toServer = hear
        ? incoming.pipe(statements((sql) => hear(sql, (then) => outgoing.prependOnceListener('data', then))))
        : incoming;
      toServer.pipe(outgoing).pipe(incoming);
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

/** Front-end messages of the PostgreSQL protocol, version 3: `Q` (simple query), `P` (parse), `S` (sync). */
function statements(hear: (sql: string) => unknown): Transform {
  let rest: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  let isReplaced = false;
  /** What the server gets instead of the message. */
  const replacement = (type: string, message: Buffer): Buffer => {
    if (isReplaced) {
      isReplaced = type !== 'S';
      return Buffer.alloc(0);
    }
    if (type !== 'Q' && type !== 'P') return message;
    const state = hear(message.subarray(5).toString('utf8').split('\0')[type === 'Q' ? 0 : 1] ?? '');
    if (typeof state !== 'string') return message;
    // The rest of an extended query would be answered apart.
    isReplaced = type === 'P';
    return simpleQuery(`DO $$BEGIN RAISE EXCEPTION 'ended by the test' USING ERRCODE = '${state}'; END$$`);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        // The first message has no type.
        const head = isGreeted ? 1 : 0;
        const end = rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + rest.readInt32BE(head);
        if (rest.length < end) return done();
        const message = rest.subarray(0, end);
        rest = rest.subarray(end);
        this.push(isGreeted ? replacement(String.fromCharCode(message[0] ?? 0), message) : message);
        isGreeted = true;
      }
    },
  });
}

function simpleQuery(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const message = Buffer.alloc(5 + text.length);
  message.write('Q');
  message.writeInt32BE(4 + text.length, 1);
  text.copy(message, 5);
  return message;
}
