import { randomUUID } from 'node:crypto';
import { sha256 } from '../../../src/platform/crypto/secrets.js';
import { Agent } from '../../support/http/agent.js';
import { onlyWinner, race, raceSize, raceTimeout, rounds } from '../../support/http/races.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import {
  ageAcceptedCodes,
  alterAccounts,
  authenticatorCode,
  type EnabledTwoFactor,
  enableTwoFactor,
  login,
} from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const { patient, admin } = people;
const admins = Array.from({ length: 5 }, (_, index) => ({ ...admin, email: `admin${index}@example.org` }));

let portal: TestPortal;

const agentOf = (index: number) => new Agent(portal.issuer, portal.ports[index % 2]);
const forgetTries = () => portal.query('DELETE FROM rate_limit');

async function signedIn(person: { email: string; password: string }, index = 0): Promise<Agent> {
  await forgetTries();
  const agent = agentOf(index);
  const answer = await login(agent, person);
  if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status}: ${answer.text}`);
  return agent;
}

/** Returns a function that restores the current rows of the table. */
async function keep(table: string): Promise<() => Promise<unknown>> {
  const [{ columns } = { columns: '' }] = await portal.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
      WHERE table_name = $1 AND is_generated = 'NEVER'`,
    [table],
  );
  await portal.query(`CREATE TABLE ${table}_before AS SELECT ${columns} FROM ${table}`);
  return () =>
    portal.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${table}_before ON CONFLICT DO NOTHING`);
}

describe('Of 20 requests at once on two nodes', () => {
  beforeAll(async () => {
    portal = await startPortal({ nodes: 2, config: { users: [patient, ...admins] } });
  });
  afterAll(() => portal.close());

  it(
    'H-02 exactly one sets a password by a mailed link, and that password is valid',
    async () => {
      const [{ id } = { id: '' }] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
        patient.email,
      ]);
      for (let round = 0; round < rounds; round += 1) {
        await forgetTries();
        const token = randomUUID();
        await portal.query(
          `INSERT INTO account_link (account_id, purpose, token_hash, mail_id, expires_at)
         VALUES ($1, 'password-reset', $2, gen_random_uuid(), now() + interval '1 hour')`,
          [id, sha256(`password-reset ${token}`)],
        );
        const passwords = Array.from({ length: raceSize }, () => randomUUID());
        const answers = await race(portal, (agent, index) => {
          const body = { password: passwords[index], token };
          return agent.send(`/api/user/forgot-password/${id}/reset`, { method: 'PUT', body });
        });
        const winner = answers.indexOf(onlyWinner(answers, 204, [400, 429]));
        await signedIn({ email: patient.email, password: passwords[winner] ?? '' });
        const other = await login(agentOf(1), {
          email: patient.email,
          password: passwords[(winner + 1) % raceSize] ?? '',
        });
        expect(other.status).toBe(401);
      }
    },
    raceTimeout,
  );

  it(
    'I-06 by administrators who delete each other, some succeed, and one administrator is left',
    async () => {
      const browsers = await Promise.all(admins.map((one, index) => signedIn(one, index)));
      const restoreAccounts = await keep('account');
      const restoreSessions = await keep('oidc_record');
      const ids = await Promise.all(
        admins.map(async ({ email }) => {
          const [{ id } = { id: '' }] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
            email,
          ]);
          return id;
        }),
      );
      const others = browsers.flatMap((browser, index) =>
        ids.filter((_, at) => at !== index).map((id) => ({ browser, id })),
      );
      for (let round = 0; round < rounds; round += 1) {
        const answers = await Promise.all(
          others.map(({ browser, id }) => browser.send(`/api/admin/user/${id}`, { method: 'DELETE' })),
        );
        const statuses = new Set(answers.map(({ status }) => status));
        expect([...statuses].filter((status) => ![204, 401, 404, 409].includes(status))).toEqual([]);
        const left = await portal.query("SELECT FROM account WHERE user_type = 'Admin'");
        expect(left.length).toBeGreaterThan(0);
        expect(answers.filter(({ status }) => status === 204)).toHaveLength(admins.length - left.length);
        await restoreAccounts();
        await restoreSessions();
        await alterAccounts(portal, 'UPDATE account SET security_stamp = security_stamp');
      }
    },
    raceTimeout,
  );
});

describe('Of 20 sign-ins at once on two nodes', () => {
  let enrolled: EnabledTwoFactor;
  let waiting: Agent[];

  beforeAll(async () => {
    portal = await startPortal({ nodes: 2, config: { users: [patient] } });
    enrolled = await enableTwoFactor(await signedIn(patient));
    waiting = [];
    for (let index = 0; index < raceSize; index += 1) waiting.push(await signedIn(patient, index));
  });
  afterAll(() => portal.close());

  /** All send the same code; a sign-in that succeeded or has to start again is replaced for the next round. */
  async function sendAll(path: string, body: object, success: number): Promise<void> {
    await forgetTries();
    const answers = await race(portal, (_, index) => (waiting[index] as Agent).post(path, body));
    onlyWinner(answers, success, [400, 401, 429]);
    for (const [index, { status }] of answers.entries()) {
      if (status === success || status === 401) waiting[index] = await signedIn(patient, index);
    }
  }

  it(
    'G-01 exactly one succeeds with one code of an authenticator',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        await ageAcceptedCodes(portal);
        await sendAll('/api/twofactor/verify', { verificationCode: authenticatorCode(enrolled.key) }, 204);
      }
    },
    raceTimeout,
  );

  it(
    'G-04 exactly one succeeds with one recovery code',
    async () => {
      const [recoveryCode] = enrolled.recoveryCodes;
      const [before] = await portal.query<{ codes: string[] }>('SELECT recovery_codes AS codes FROM two_factor');
      for (let round = 0; round < rounds; round += 1) {
        await sendAll('/api/twofactor/verify-recovery', { recoveryCode }, 200);
        await portal.query('UPDATE two_factor SET recovery_codes = $1', [before?.codes]);
      }
    },
    raceTimeout,
  );
});

describe('Of 20 requests at once on two nodes without an administrator', () => {
  beforeAll(async () => {
    portal = await startPortal({ nodes: 2 });
  });
  afterAll(() => portal.close());

  it(
    'J-01 exactly one creates the first administrator, who can sign in',
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        await forgetTries();
        const answers = await race(portal, (agent, index) =>
          agent.post('/api/admin/adminmanagement/create-initial', {
            Email: `first${index}@example.org`,
            Password: admin.password,
          }),
        );
        const winner = answers.indexOf(onlyWinner(answers, 200, [403, 429]));
        const stored = await portal.query("SELECT email FROM account WHERE user_type = 'Admin'");
        expect(stored).toEqual([{ email: `first${winner}@example.org` }]);
        await signedIn({ email: `first${winner}@example.org`, password: admin.password });
        await portal.query('UPDATE installation SET first_admin_created_at = NULL');
        await alterAccounts(portal, 'DELETE FROM account');
      }
    },
    raceTimeout,
  );
});
