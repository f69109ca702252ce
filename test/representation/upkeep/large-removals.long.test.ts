/** Removals of what is too old, where there is much of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvitationAnswers } from '../../../src/invitations/application/invitation-answers.js';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import { RequestFileStore } from '../../../src/requests/application/request-file-store.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

const rows = 100_000;
/** Longest statement, in seconds: the time after which requests are told that the database is too slow is 4.5. */
const longest = 2;
let portal: FamilyPortal;
let ana: string;

beforeAll(async () => {
  portal = await startFamilyPortal();
  ana = await portal.accountId(family.ana);
});

afterAll(() => portal.close());

const service = <T>(type: abstract new (...parts: never[]) => T) => portal.apps[0]?.get(type, { strict: false }) as T;
const count = async (table: string) =>
  (await portal.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`))[0]?.count;

/** Executes the work; returns the seconds of the longest statement that was seen meanwhile. */
async function longestDuring(work: () => Promise<unknown>): Promise<number> {
  let isDone = false;
  let most = 0;
  const looking = (async () => {
    while (!isDone) {
      const [row] = await portal.query<{ seconds: number | null }>(
        `SELECT max(extract(epoch FROM clock_timestamp() - query_start))::float8 AS seconds FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'active' AND query ~ 'DELETE|UPDATE' AND pid <> pg_backend_pid()`,
      );
      most = Math.max(most, row?.seconds ?? 0);
      await sleep(20);
    }
  })();
  try {
    await work();
  } finally {
    isDone = true;
    await looking;
  }
  return most;
}

const addRelationships = (columns: string, values: string) =>
  portal.query(
    `INSERT INTO representation_relationship (account_id, tenant, patient, basis, level, relation, proposed_by,
       representative_name, patient_name, ${columns})
     SELECT $1, '', 'old-' || number, 'voluntary', 'full', 'helper', '{"kind":"portal"}', 'Ana', 'Leo', ${values}
       FROM generate_series(1, ${rows}) AS number`,
    [ana],
  );
const addRequests = (columns: string, values: string) =>
  portal.query(
    `INSERT INTO request (id, reference, kind, account_id, tenant, asker_name, patient_name, content, due_at, ${columns})
     SELECT gen_random_uuid(), 'R' || number, 'act-for', $1, '', 'Ana', 'Leo', '{}', now(), ${values}
       FROM generate_series(1, ${rows}) AS number`,
    [ana],
  );
const relationships = 'representation_relationship';

const kinds: [string, string, () => Promise<unknown>, () => Promise<unknown>][] = [
  [
    'relationships that ended, with what was told',
    relationships,
    async () => {
      await addRelationships('status, reason, ended_at', "'ended', 'period', now() - interval '11 years'");
      await portal.query(
        `INSERT INTO representation_notice (relationship_id, step, told_at)
         SELECT id, 'period', now() FROM representation_relationship`,
      );
    },
    () => service(RelationshipSweeps).removeOld(new Date()),
  ],
  [
    'proposals that led to none',
    relationships,
    () => addRelationships('status, changed_at', "'declined', now() - interval '2 years'"),
    () => service(RelationshipSweeps).removeOld(new Date()),
  ],
  [
    'patients without a representative',
    'represented_patient',
    () =>
      portal.query(
        `INSERT INTO represented_patient (tenant, patient, read_at)
         SELECT '', 'unused-' || number, now() - interval '40 days' FROM generate_series(1, ${rows}) AS number`,
      ),
    () => service(RelationshipSweeps).removeOld(new Date()),
  ],
  [
    'requests that were declined, with their files',
    'request',
    async () => {
      await addRequests('status, decided_at', "'declined', now() - interval '2 years'");
      await portal.query(
        `INSERT INTO request_file (id, account_id, request_id, label, name, media_type, bytes, content)
         SELECT gen_random_uuid(), $1, id, 'a', 'a', 'application/pdf', 10, 'abc' FROM request LIMIT ${rows / 20}`,
        [ana],
      );
    },
    () => service(RequestFileStore).purge(),
  ],
  [
    'invitations',
    'representation_invitation',
    () =>
      portal.query(
        `INSERT INTO representation_invitation (id, inviter_id, tenant, patient, first_name, full_name, email, basis,
           level, relation, token_hash, mail_id, created_at, expires_at)
         SELECT gen_random_uuid(), $1, '', '2', 'Ana', 'Ana', 'a@b.example', 'voluntary', 'full', 'helper',
           number::text, gen_random_uuid(), now() - interval '40 days', now() - interval '33 days'
           FROM generate_series(1, ${rows}) AS number`,
        [ana],
      ),
    () => service(InvitationAnswers).purge(),
  ],
];

it.each(kinds)(
  'A hundred thousand %s are removed, and no statement takes long',
  async (_, table, add, remove) => {
    await portal.query(`TRUNCATE ${table} CASCADE`);
    await add();
    await portal.query(`ANALYZE ${table}`);
    expect(await longestDuring(remove)).toBeLessThan(longest);
    expect(await count(table)).toBe(0);
  },
  600_000,
);
