import pg from 'pg';
import { migrate } from '../../src/platform/database/migrate.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const database = 'letters_of_another_locale';
const { email, password } = people.practitioner;

let portal: TestPortal;
let admin: pg.Client;

/** A database with the locale of most PostgreSQL servers, unlike the embedded one. */
beforeAll(async () => {
  admin = new pg.Client(JSON.parse(process.env.GATEHOUSE_TEST_DATABASE ?? '{}'));
  await admin.connect();
  const { rows } = await admin.query<{ hasOwnLocales: boolean }>(
    `SELECT current_setting('server_version_num')::int >= 170000 AS "hasOwnLocales"`,
  );
  const builtin = "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'";
  const locale = rows[0]?.hasOwnLocales ? builtin : "LOCALE_PROVIDER libc LOCALE 'C.UTF-8'";
  await admin.query(`CREATE DATABASE ${database} TEMPLATE template0 ${locale}`);
  portal = await startPortal({
    config: { users: [people.practitioner] },
    async reachDatabase(connection) {
      await migrate({ ...connection, database });
      return { ...connection, database };
    },
  });
});

afterAll(async () => {
  await portal.close();
  await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
  await admin.end();
});

const signIn = async (username: string) =>
  (await new Agent(portal.issuer).post('/api/session/login', { username, password })).status;

async function sameThere(...texts: [string, string]): Promise<boolean> {
  const there = new pg.Client({ ...portal.connection, database });
  await there.connect();
  const { rows } = await there.query('SELECT lower($1) = lower($2) AS same', texts);
  await there.end();
  return rows[0].same;
}

describe('An e-mail address', () => {
  it('F-03 is the same in any case and in no other letters, also for counting failed sign-ins', async () => {
    const lookAlike = email.replace('i', 'İ');
    expect(await sameThere(email, lookAlike)).toBe(true);
    expect(await signIn(email.toUpperCase())).toBe(200);
    expect(await signIn(lookAlike)).toBe(401);
  });
});
