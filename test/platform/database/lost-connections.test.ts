import pg, { type PoolClient } from 'pg';
import { asUnavailable } from '../../../src/platform/database/database.js';
import { isUnanswered, markFailedConnections } from '../../../src/platform/database/lost-connections.js';
import { makeUsable } from '../../../src/platform/database/read-only.js';
import { createDatabase } from '../../support/database/database.js';

let drop: () => Promise<void>;
let pool: pg.Pool;

beforeAll(async () => {
  const created = await createDatabase();
  drop = created.drop;
  pool = new pg.Pool({ ...created.connection, max: 1, onConnect: makeUsable });
  pool.on('error', () => undefined);
  markFailedConnections(pool);
});
afterAll(async () => {
  await pool.end();
  await drop();
});

/** The error of a statement or connection, by each way in which node-postgres reports it. */
type Attempt = (client: PoolClient) => Promise<unknown>;
const byPromise: Attempt = (client) => client.query('SELECT 1');
const byCallback: Attempt = (client) =>
  new Promise((resolve, reject) =>
    client.query('SELECT 1', [], (error) => (error ? reject(error) : resolve(undefined))),
  );
const bySubmittedQuery: Attempt = (client) =>
  new Promise((resolve, reject) => {
    client.query(new pg.Query('SELECT 1', (error: Error | undefined) => (error ? reject(error) : resolve(undefined))));
  });
const attempts = { byPromise, byCallback, bySubmittedQuery };

function errorOf(attempt: Promise<unknown>): Promise<unknown> {
  return attempt.then(
    () => 'no error',
    (error: unknown) => error,
  );
}

const lose: Record<string, (client: PoolClient) => void> = {
  broke: (client) => (client as unknown as { connection: pg.Connection }).connection.stream.destroy(),
  'was closed': (client) => void (client as unknown as pg.Client).end(),
};

describe.each(Object.entries(lose))('A connection that %s', (_, end) => {
  it.each(Object.entries(attempts))('fails its statement with a connection exception (%s)', async (__, attempt) => {
    const client = await pool.connect();
    const during = errorOf(attempt(client));
    end(client);
    const errors = [await during, await errorOf(attempt(client))];
    client.release(true);
    for (const error of errors.filter((one) => one !== 'no error')) {
      expect((error as { code?: string }).code).toMatch(/^08/);
      expect([isUnanswered(error), asUnavailable(error)?.status]).toEqual([false, 503]);
    }
    expect(errors.at(-1)).not.toBe('no error');
  });
});

it('A statement without an answer in time fails as a connection exception that is no answer', async () => {
  const client = await pool.connect();
  const error = await errorOf(client.query({ text: 'SELECT pg_sleep(1)', query_timeout: 50 } as pg.QueryConfig));
  client.release(true);
  expect(error).toMatchObject({ code: '08006' });
  expect([isUnanswered(error), asUnavailable(error)?.status]).toEqual([true, 503]);
});

it('A request that gets no connection of the pool in time fails by the pool of this node, and not by a state of PostgreSQL', async () => {
  pool.options.connectionTimeoutMillis = 100;
  const client = await pool.connect();
  const errors = [await errorOf(pool.connect()), await errorOf(pool.query('SELECT 1'))];
  client.release();
  for (const error of errors) expect([asUnavailable(error)?.status, error]).toMatchObject([503, { code: 'GHPOOL' }]);
});

it.each(['Connection terminated', 'Query read timeout', 'Client was closed', 'Query runner already released'])(
  'An error of other code that says "%s" does not concern the database',
  (text) => expect(asUnavailable(new Error(text))).toBeUndefined(),
);
