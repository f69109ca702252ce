import { AsyncResource } from 'node:async_hooks';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { requestContext } from '../request/scope.js';

type Callback = (error: Error | undefined, ...results: unknown[]) => void;
type Query = (query: unknown, ...rest: unknown[]) => unknown;
type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

/** Gives each round trip to the database that a request makes a span. */
export function traceStatements(pool: Pool): void {
  const connect = pool.connect.bind(pool) as (callback?: Connected) => Promise<PoolClient>;
  // The pool calls back in the request that returns a connection, instead of the one that waits for it.
  pool.connect = ((callback?: Connected) => {
    const isRecorded = requestContext.getStore()?.span?.isRecorded;
    return connect(callback && isRecorded ? AsyncResource.bind(callback) : callback);
  }) as unknown as Pool['connect'];
  const traced = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (traced.has(client)) return;
    traced.add(client);
    traceClient(client);
  });
}

function traceClient(client: ClientBase): void {
  const query = client.query.bind(client) as Query;
  client.query = ((first: unknown, ...rest: unknown[]) => {
    const parent = requestContext.getStore()?.span;
    if (!parent?.isRecorded) return query(first, ...rest);
    const name = summaryOf(textsOf(first));
    const span = parent.begin(name, { 'db.system.name': 'postgresql', 'db.query.summary': name });
    const done = (error?: unknown) => span.end({ failure: error ? codeOf(error) : undefined });
    const ending =
      (callback: Callback): Callback =>
      (error, ...results) => {
        done(error);
        callback(error, ...results);
      };
    const callback = rest.at(-1);
    if (typeof callback === 'function') return query(first, ...rest.slice(0, -1), ending(callback as Callback));
    const { callback: own } = first as { callback?: Callback };
    if (own) Object.assign(first as object, { callback: ending(own) });
    const result = query(first, ...rest);
    if (!own) Promise.resolve(result).then(() => done(), done);
    return result;
  }) as ClientBase['query'];
}

function textsOf(query: unknown): string[] {
  if (typeof query === 'string') return [query];
  const { text, texts } = query as { text?: string; texts?: string[] };
  return texts ?? (text === undefined ? [] : [text]);
}

const literal = /'[^']*'/g;
const firstWord = /^[\s(]*([A-Za-z]+)/;
const change = /\b(INSERT|UPDATE|DELETE)\b/;
const table = /\b(?:FROM|INTO|UPDATE|JOIN)\s+(?:"?public"?\.)?"?([a-z_]{1,63})"?(?![\w(])/;
const ofTransactions = /^(BEGIN|COMMIT|ROLLBACK)$/;
const mostNamed = 5;

/**
 * Summary of statements by verb and table: `SELECT oidc_record`. It has only words of the statement's own code, never a
 * value, also of a statement that has values in its text.
 */
export function summaryOf(texts: readonly string[]): string {
  const all = texts.map((whole) => {
    const text = whole.replace(literal, "''");
    const word = firstWord.exec(text)?.[1]?.toUpperCase() ?? 'SQL';
    const verb = word === 'WITH' ? (change.exec(text)?.[1] ?? 'SELECT') : word;
    const name = ofTransactions.test(verb) ? undefined : table.exec(text)?.[1];
    return name === undefined ? verb : `${verb} ${name}`;
  });
  const own = all.filter((one) => !ofTransactions.test(one));
  const named = [...new Set(own.length > 0 ? own : all)];
  return named.slice(0, mostNamed).join(', ') + (named.length > mostNamed ? ', …' : '');
}

/** SQLSTATE or the system's error code. */
function codeOf(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z_]{1,30}$/.test(code) ? code : 'failed';
}
