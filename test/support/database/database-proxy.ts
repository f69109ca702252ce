import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import type { TestConnection } from './database.js';

/**
 * Called with each statement before the server executes it. A function given to `onAnswer` runs when the statement was
 * executed, before the portal knows; the server gets nothing more of the same round trip. If it returns a text, the
 * server fails with this SQLSTATE instead of executing the statement.
 */
export type StatementListener = (sql: string, onAnswer: (then: () => void) => void) => unknown;

/** A proxy in front of the database that can be shut, so that the database is unavailable to the portal. */
export class DatabaseProxy {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port = 0;
  private swallows = false;
  /** The number of times that the server was sent something that it must answer. */
  roundTrips = 0;

  constructor(
    private behind: TestConnection,
    private readonly hear?: StatementListener,
  ) {}

  get connections(): number {
    return this.sockets.size / 2;
  }

  /** Accepts connections, always on the same port. */
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
      const answered = (then: () => void) => outgoing.prependOnceListener('data', then);
      const onRoundTrip = () => {
        this.roundTrips += 1;
      };
      const toServer = hear ? incoming.pipe(statements({ hear, answered, onRoundTrip })) : incoming;
      toServer.pipe(outgoing).pipe(incoming);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.server = server;
    this.port = (server.address() as { port: number }).port;
    return { ...this.behind, host: '127.0.0.1', port: this.port };
  }

  /** Connects to another server from now on, and breaks the connections to the previous one. */
  switchTo(behind: TestConnection): void {
    this.behind = behind;
    this.breakAll();
  }

  /** Like a black hole in the network: connections stay open, and no data passes. */
  dropAllData(): void {
    this.swallows = true;
    for (const socket of this.sockets) socket.unpipe();
  }

  /** Passes the data of new connections again. */
  passDataAgain(): void {
    this.passNewData();
    this.breakAll();
  }

  /**
   * As {@link passDataAgain}, but earlier connections stay open and silent, as those to a machine that was switched
   * off.
   */
  passNewData(): void {
    this.swallows = false;
  }

  /** Breaks every connection at once, and refuses new ones. */
  async shut(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    this.breakAll();
    await closed;
  }

  breakAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

interface Listening {
  hear: StatementListener;
  answered: (then: () => void) => void;
  onRoundTrip: () => void;
}

/**
 * Front-end messages of the PostgreSQL protocol, version 3: `Q` (simple query), `P` (parse), `B` (bind), `E` (execute),
 * `S` (sync), `H` (flush). A statement is parsed once and bound for each execution.
 */
function statements({ hear, answered, onRoundTrip }: Listening): Transform {
  let rest: Buffer = Buffer.alloc(0);
  let isGreeted = false;
  /** The type of the message up to which all messages are dropped. */
  let droppedUntil: string | undefined;
  let isLastExecuted = false;
  const texts = new Map<string, string>();
  /** The message that the server gets instead. */
  const replacement = (type: string, message: Buffer): Buffer => {
    if (type === 'Q' || type === 'S') onRoundTrip();
    const [first = '', second = ''] = message.subarray(5).toString('latin1').split('\0', 2);
    if (droppedUntil !== undefined) {
      if (droppedUntil === type) droppedUntil = undefined;
      return Buffer.alloc(0);
    }
    if (type === 'P') texts.set(first, message.subarray(5).toString('utf8').split('\0', 2)[1] ?? '');
    if (type === 'E' && isLastExecuted) {
      droppedUntil = 'the end';
      return Buffer.concat([message, Buffer.from('H\0\0\0\x04')]);
    }
    if (type !== 'Q' && type !== 'B') return message;
    const sql = type === 'Q' ? message.subarray(5, -1).toString('utf8') : (texts.get(second) ?? '');
    const state = hear(sql, (then) => {
      isLastExecuted = type === 'B';
      answered(then);
    });
    if (typeof state !== 'string') return message;
    // The rest of an extended query would get answers of its own.
    if (type === 'B') droppedUntil = 'S';
    return simpleQuery(`DO $$BEGIN RAISE EXCEPTION 'ended by the test' USING ERRCODE = '${state}'; END$$`);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      /** Sent at once: with each part that arrives alone, two processes wake. */
      const passed: Buffer[] = [];
      for (;;) {
        // The first message has no type.
        const head = isGreeted ? 1 : 0;
        const end = rest.length < head + 4 ? Number.POSITIVE_INFINITY : head + rest.readInt32BE(head);
        if (rest.length < end) return done(null, Buffer.concat(passed));
        const message = rest.subarray(0, end);
        rest = rest.subarray(end);
        passed.push(isGreeted ? replacement(String.fromCharCode(message[0] ?? 0), message) : message);
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
