import { hash } from 'node:crypto';
import pg, { type PoolClient, type QueryResult } from 'pg';

/** A constant statement of many requests: each connection parses it once and keeps its plan (decision 0051). */
export class Prepared {
  /** Unique: for two statements with one name PostgreSQL would execute the first one twice. */
  readonly name: string;

  constructor(readonly text: string) {
    this.name = hash('sha256', text, 'base64url');
  }
}

export interface Statement {
  sql: string | Prepared;
  parameters?: unknown[];
}

/**
 * Executes statements in one round trip: they are sent in one write, with one Sync message at the end (PostgreSQL's
 * frontend/backend protocol, "Pipelining"). After one that fails PostgreSQL executes none of the rest, so a COMMIT at
 * the end commits only if all statements before it succeeded.
 */
export async function executeTogether(client: PoolClient, statements: Statement[]): Promise<QueryResult[]> {
  try {
    return await new Promise((resolve, reject) => {
      client.query(
        new StatementGroup(statements, (error, results) => (error ? reject(error) : resolve(results ?? []))),
      );
    });
  } catch (error) {
    // The stack of the caller instead of the socket's.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}

/** Configuration of a single statement of pg. */
export function queryOf({ sql, parameters = [] }: Statement): { text: string; name?: string; values: unknown[] } {
  return typeof sql === 'string'
    ? { text: sql, values: parameters }
    : { text: sql.text, name: sql.name, values: parameters };
}

/** pg's connection, as far as a query uses it: it sends each message by `_send`. */
interface Connection {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  _send(message: Buffer): void;
  sync(): void;
}

type ConnectionClass = new (options: { stream: unknown }) => Connection;

/** Collects the messages of queries instead of sending them, each time for another connection. */
class Collector extends (pg.Connection as unknown as ConnectionClass) {
  private messages: Buffer[] = [];
  private isLast = false;

  constructor() {
    // Nothing is sent.
    super({ stream: {} });
  }

  /** Messages of these queries, with one Sync at the end. */
  collect(queries: readonly Query[], connection: Connection): Buffer {
    this.messages = [];
    this.parsedStatements = connection.parsedStatements;
    this.submittedNamedStatements = connection.submittedNamedStatements;
    const last = queries.at(-1);
    for (const query of queries) {
      this.isLast = query === last;
      query.prepare(this);
    }
    return Buffer.concat(this.messages);
  }

  override _send(message: Buffer): void {
    this.messages.push(message);
  }

  override sync(): void {
    if (this.isLast) super.sync();
  }
}

/** One for all: an object per group would keep V8 from compiling pg's code for a fixed layout of objects. */
const collector = new Collector();

/** pg's query, which encodes one statement and decodes its answer. */
interface Query {
  readonly name?: string;
  readonly text: string;
  prepare(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleEmptyQuery(connection: Connection): void;
  handleCopyInResponse(connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

/**
 * Several queries that pg's client treats as one. It hands each message of the answer to the query that it belongs to:
 * they are answered in the order in which they were sent.
 */
class StatementGroup {
  private readonly queries: Query[];
  private readonly results: QueryResult[] = [];
  /** Index of the query that is being answered. */
  private at = 0;
  /** Error of a parameter that cannot be encoded, or of a row that cannot be decoded. */
  private failure: Error | undefined;

  constructor(
    statements: Statement[],
    /** The client replaces it to add its time-out. */
    public callback: (error: Error | undefined, results?: QueryResult[]) => void,
  ) {
    this.queries = statements.map((statement) => {
      const query = new pg.Query({ ...queryOf(statement), queryMode: 'extended' } as never, (error, result) => {
        if (error) this.failure ??= error;
        else this.results.push(result);
      });
      return query as unknown as Query;
    });
  }

  /** The texts of all queries, for telemetry. */
  get texts(): string[] {
    return this.queries.map(({ text }) => text);
  }

  /** Name and text of the query that is being answered: the client records which statements a connection has parsed. */
  get name(): string | undefined {
    return this.current.name;
  }

  get text(): string {
    return this.current.text;
  }

  /** Returns an error instead of sending anything when a parameter cannot be encoded. */
  submit(connection: Connection): Error | undefined {
    const messages = collector.collect(this.queries, connection);
    if (this.failure) this.forgetNames(connection);
    else connection._send(messages);
    return this.failure;
  }

  handleRowDescription(message: unknown): void {
    this.current.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.current.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.current.handleCommandComplete(message, connection);
    this.at += 1;
  }

  handleEmptyQuery(connection: Connection): void {
    this.current.handleEmptyQuery(connection);
    this.at += 1;
  }

  handleCopyInResponse(connection: Connection): void {
    this.current.handleCopyInResponse(connection);
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.queries) query.handleReadyForQuery(connection);
    this.callback(this.failure, this.results);
  }

  handleError(error: Error, connection: Connection): void {
    this.forgetNames(connection);
    this.callback(error);
  }

  private get current(): Query {
    return this.queries[Math.min(this.at, this.queries.length - 1)] as Query;
  }

  /** Statements that PostgreSQL has not parsed are sent with their text again. */
  private forgetNames(connection: Connection): void {
    for (const { name } of this.queries.slice(this.at)) if (name) delete connection.submittedNamedStatements[name];
  }
}
