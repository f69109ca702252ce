import pg from 'pg';
import type { OpenSpan } from '../../../src/platform/request/scope.js';
import { requestContext } from '../../../src/platform/request/scope.js';
import { summaryOf, traceStatements } from '../../../src/platform/telemetry/statement-spans.js';
import { createDatabase } from '../../support/database/database.js';

/** The span of a request, which keeps what was begun and ended below it. */
function recordingSpan(notes: string[]): OpenSpan {
  const span: OpenSpan = {
    isRecorded: true,
    traceId: '',
    traceparent: '',
    begin: (name) => ({ ...span, end: ({ failure = 'ok' } = {}) => notes.push(`${name}: ${failure}`) }),
    end: () => undefined,
  };
  return span;
}

const language = () => {
  throw new Error('not asked for');
};

it('Statements of requests that wait for one connection are in the trace of their own request', async () => {
  const { connection, drop } = await createDatabase();
  const pool = new pg.Pool({ ...connection, max: 1 });
  // Dropping the database may break a connection that is still closing.
  pool.on('error', () => undefined);
  try {
    traceStatements(pool);
    const requests = ['account', 'client', 'missing', 'tag', 'job'].map((table) => ({ table, notes: [] as string[] }));
    await Promise.all(
      requests.map(({ table, notes }) => {
        const context = { correlationId: '', issuer: '', address: '', language, span: recordingSpan(notes) };
        return requestContext.run(context, () => pool.query(`SELECT count(*) FROM ${table}`).catch(() => undefined));
      }),
    );
    expect(requests.map(({ table, notes }) => [table, notes])).toEqual([
      ['account', ['SELECT account: ok']],
      ['client', ['SELECT client: ok']],
      ['missing', ['SELECT missing: 42P01']],
      ['tag', ['SELECT tag: ok']],
      ['job', ['SELECT job: ok']],
    ]);
  } finally {
    await pool.end();
    await drop();
  }
});

it.each([
  [['SELECT id FROM account WHERE email = $1'], 'SELECT account'],
  [['\n  INSERT INTO audit_event (type) VALUES ($1)'], 'INSERT audit_event'],
  [['WITH event AS (INSERT INTO audit_event DEFAULT VALUES) SELECT 1'], 'INSERT audit_event'],
  [['WITH found AS (SELECT * FROM client) SELECT * FROM found'], 'SELECT client'],
  [['UPDATE "job" SET attempts = 1'], 'UPDATE job'],
  [['DELETE FROM "public"."job"'], 'DELETE job'],
  [['SELECT extract(epoch FROM now()) FROM tag'], 'SELECT tag'],
  [['BEGIN', 'SELECT * FROM client', 'SELECT * FROM client', 'COMMIT'], 'SELECT client'],
  [['BEGIN'], 'BEGIN'],
  [['COMMIT'], 'COMMIT'],
  [['SHOW transaction_read_only'], 'SHOW'],
  [[], ''],
  [["SELECT 'FROM amelia' || 'it''s FROM ward' AS text"], 'SELECT'],
  [["SELECT * FROM client WHERE name = 'Amelia Ward' AND id = '7c1d'"], 'SELECT client'],
  [["SELECT $tag$Amelia Ward$tag$, 'update amelia'"], 'SELECT'],
])('The span of %j is called %j', (texts, name) => {
  expect(summaryOf(texts)).toBe(name);
});
