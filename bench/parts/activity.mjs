import { lists } from '../tools/lists.mjs';

const apps = 50;
const people = 5_000;
const admin = '/api/admin';
/** Ids that are the same in every run. */
const clientOf = (turn) => `00000000-0000-4000-8000-${String(turn % apps).padStart(12, '0')}`;
/** Twelve letters and digits of a reference. */
const idOf = `upper(translate(left(md5('launch' || i), 12), '01ae', 'jk' || 'lm'))`;

const queries = {
  'first page': () => ({ pageSize: 25 }),
  'what did not succeed': () => ({ outcome: 'refused', pageSize: 25 }),
  "a client's launches": (turn) => ({ clientId: `app-${turn % apps}`, pageSize: 25 }),
  'a cause': () => ({ cause: 'token-refused', pageSize: 25 }),
  'the last day': () => ({ from: new Date(Date.now() - 86_400_000).toISOString(), pageSize: 25 }),
  'search: a reference': (turn, launches) => ({ searchTerm: references[(turn * 37) % Math.min(launches, 1000)] }),
  'search: an app': (turn) => ({ searchTerm: `App ${turn % apps}`, pageSize: 25 }),
  'search: a person': (turn) => ({ searchTerm: `person.${turn % people}@`, pageSize: 25 }),
  'one launch': (turn, launches) => ({
    path: `${admin}/activity/${references[(turn * 37) % Math.min(launches, 1000)]}`,
  }),
  "a client's panel": (turn) => ({ path: `${admin}/client/${clientOf(turn)}/activity` }),
  'the last 14 days': () => ({ path: `${admin}/activity/days` }),
};

let references = [];

/** Measures what administrators ask of the record of launches, with 1,000 and with 1,000,000 of them. */
export function activity(table) {
  const many = Number(process.env.BENCH_LAUNCHES ?? 1_000_000);
  const configuration = { activity: { keepDays: 60 }, logging: { level: 'error' } };
  return lists(table, { what: 'launches', path: `${admin}/activity`, queries, fill, configuration, many, atMost: 2 });
}

/**
 * Fills in launches of the last 30 days; the busiest app has a quarter of them. Eight in a hundred were refused, seven
 * left.
 */
async function fill(database, launches) {
  await database.query(
    `INSERT INTO client (id, client_id, client_name, client_type, enabled, version, settings, created_at, updated_at)
     SELECT ('00000000-0000-4000-8000-' || right(1000000000000 + i || '', 12))::uuid, 'app-' || i, 'App ' || i, 'StandaloneApp', true, 1,
            '{}', now(), now() FROM generate_series(0, $1::int - 1) AS i`,
    [apps],
  );
  await database.query(
    `INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
     SELECT md5('person' || i)::uuid, 'person.' || i || '@example.org', 'Person ' || i, 'Patient', '[]', true, false, '', now()
       FROM generate_series(0, $1::int - 1) AS i`,
    [people],
  );
  await database.query(
    `INSERT INTO launch (id, kind, client_id, account_id, code_hash, started_at, last_at, outcome, cause, entries)
     SELECT ${idOf}, 'launch', 'app-' || floor(power(a, 3) * $2), md5('person' || floor(b * $3))::uuid::text, md5(i::text),
            start, start + interval '20 seconds', outcome,
            CASE WHEN outcome = 'refused' THEN 'token-refused' WHEN outcome = 'declined' THEN 'declined'
                 WHEN outcome = 'failed' THEN 'request-failed' END,
            (SELECT jsonb_object_agg(key, jsonb_build_object('at', at, 'last', at, 'count', 1, 'detail', detail))
               FROM (VALUES ('request-received', '{"how":"Direct request"}'::jsonb), ('scopes-kept', '{"asked":8,"kept":7}'),
                            (E'page-shown\\nlogin', '{"page":"login"}'), (E'page-shown\\nconsent', '{"page":"consent"}'),
                            ('code-issued', '{}'), ('tokens-issued', '{}'), ('tokens-refreshed', '{}'), ('declined', '{}'),
                            ('token-refused', '{"error":"invalid_client","description":"The secret has expired"}'),
                            ('request-failed', '{}')) AS entry (key, detail),
                    LATERAL (SELECT round(extract(epoch FROM start) * 1000) AS at) AS time)
       FROM generate_series(1, $1::int) AS i,
            LATERAL (SELECT (hashint8(i) & 65535) / 65536.0 AS a, (hashint8(-i) & 65535) / 65536.0 AS b,
                            (hashint8(i * 7) & 65535) % 100 AS c) AS random,
            LATERAL (SELECT now() - i * (interval '30 days' / $1::int) AS start,
                            CASE WHEN c < 80 THEN 'completed' WHEN c < 88 THEN 'refused' WHEN c < 89 THEN 'failed'
                                 WHEN c < 93 THEN 'declined' ELSE 'open' END AS outcome) AS of`,
    [launches, apps, people],
  );
  const { rows } = await database.query(`SELECT ${idOf} AS id FROM generate_series(1, 1000) AS i`);
  references = rows.map(({ id }) => `${id.slice(0, 2)}-${id.slice(2, 6)}-${id.slice(6, 8)}`);
  // PostgreSQL does the same by itself within a minute.
  await database.query('VACUUM ANALYZE launch, client, account');
}
