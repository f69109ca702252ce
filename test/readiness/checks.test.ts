import { mock } from 'node:test';
import pg from 'pg';
import type { ReadinessCheck, ReadinessCode, ReadinessReport, ReadinessState } from '../../src/contract/readiness.js';
import type { Config } from '../../src/platform/config/config.js';
import { OperatorNotes } from '../../src/readiness/application/operator-notes.js';
import { Readiness } from '../../src/readiness/application/readiness.js';
import { reportAsText } from '../../src/readiness/application/readiness-text.js';
import { backendService, publicApp } from '../support/clients/clients.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const wardBoard = {
  ...{ ...backendService, clientId: 'ward-board', clientName: 'Ward Board', allowedResourceTypes: ['Observation'] },
  clientSecrets: [1, 2].map((number) => ({
    secretType: 'SharedSecret',
    secret: `typed-secret-of-a-service-${number}`,
  })),
};
const diary = {
  ...publicApp,
  clientName: 'Heart Diary',
  allowedResourceTypes: ['Observation'],
  allowOfflineAccess: false,
};
const statement = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [] }],
};
const withTypes = { ...statement, rest: [{ mode: 'server', resource: [{ type: 'Patient' }] }] };
const smtp = { host: 'mail.example', port: 587, security: 'starttls' };

/** What the FHIR server answers. */
let answers: { capabilities: object; metadata: number; search: number; date: string | undefined };
let upstream: Upstream;
let portal: TestPortal;
let original: Config;
/** Statements that undo what a test did to the database. */
let undone: string[];

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const isMetadata = request.url?.endsWith('/metadata');
    response.sendDate = answers.date === undefined;
    if (answers.date) response.setHeader('date', answers.date);
    response.writeHead(isMetadata ? answers.metadata : answers.search, { 'content-type': 'application/fhir+json' });
    response.end(JSON.stringify(isMetadata ? answers.capabilities : { resourceType: 'Bundle' }));
  });
  portal = await startPortal({ config: { users: [people.admin], clients: [diary, wardBoard] } });
  original = { ...portal.config };
});

beforeEach(() => {
  answers = { capabilities: withTypes, metadata: 200, search: 401, date: undefined };
  undone = [];
  set('fhir', { baseUrl: upstream.url });
});

afterEach(async () => {
  for (const statement of undone.reverse()) await portal.query(statement);
  Object.assign(portal.config, original);
});

afterAll(async () => {
  await portal.close();
  upstream.close();
});

/** Changes members of a section of the configuration for this test. */
function set<Section extends keyof Config>(section: Section, members: object): void {
  const value = { ...(portal.config[section] as object), ...members };
  Object.assign(portal.config, { [section]: value });
}

async function change(statement: string, undo?: string): Promise<void> {
  await portal.query(statement);
  if (undo) undone.push(undo);
}

const service = <T>(type: abstract new (...parameters: never[]) => T) =>
  portal.apps[0]?.get(type as new () => T, { strict: false }) as T;
const report = () => service(Readiness).report();

async function checkOf(code: ReadinessCode, given?: ReadinessReport): Promise<ReadinessCheck> {
  const { sections } = given ?? (await report());
  const found = sections.flatMap(({ checks }) => checks).find((check) => check.code === code);
  if (!found) throw new Error(`there is no check ${code}`);
  return found;
}

const note = (name: string, age: string, detail = '{}') =>
  change(
    `INSERT INTO readiness_note (name, noted_at, detail) VALUES ('${name}', now() - interval '${age}', '${detail}')`,
    'DELETE FROM readiness_note',
  );
const testMail = (detail: string) =>
  change(
    `INSERT INTO readiness_note (name, account_id, detail)
     SELECT 'test-mail', id, '${detail}' FROM account WHERE email = '${people.admin.email}'`,
    'DELETE FROM readiness_note',
  );
const mailOfAge = (age: string) =>
  change(
    `INSERT INTO job (kind, payload, created_at, due_at, key) VALUES ('mail', '{}', now() - interval '${age}', now() + interval '1 day', 'm1')`,
    "DELETE FROM job WHERE kind = 'mail'",
  );
const secondFactor = () =>
  change(
    `INSERT INTO two_factor (account_id, sealed_key, key_id, last_step, recovery_codes, enabled_at)
     SELECT id, '', 'k', 0, '{}', now() FROM account`,
    'DELETE FROM two_factor',
  );
const withoutAdministrator = () =>
  change("UPDATE account SET user_type = 'Patient'", "UPDATE account SET user_type = 'Admin'");
const secrets = (assignment: string, which = 'true') =>
  change(
    `UPDATE client_secret SET ${assignment} WHERE ${which}`,
    'UPDATE client_secret SET expires_at = NULL, last_used_at = NULL',
  );
const clientSettings = (clientId: string, settings: object, restored: object) =>
  change(
    `UPDATE client SET settings = settings || '${JSON.stringify(settings)}' WHERE client_id = '${clientId}'`,
    `UPDATE client SET settings = settings || '${JSON.stringify(restored)}' WHERE client_id = '${clientId}'`,
  );
const past = "now() - interval '1 day'";
const agedClients = () =>
  change("UPDATE client SET created_at = now() - interval '91 days'", 'UPDATE client SET created_at = now()');
const connections = async (share: number) => {
  const [row] = await portal.query<{ accepted: number }>(
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
       - current_setting('reserved_connections')::int AS accepted`,
  );
  set('database', { poolSize: Math.ceil((row?.accepted ?? 0) * share) - 2 });
};
/** The clock of this node is behind that of the database. */
const lateBy = (seconds: number) => {
  const now = Date.now;
  const clock = mock.method(Date, 'now', () => now() - seconds * 1000);
  return () => clock.mock.restore();
};
const publicIssuer = () => set('server', { issuer: 'https://login.hospital.example' });

// biome-ignore lint/suspicious/noConfusingVoidType: most rows have nothing to restore.
type Arranged = void | (() => void);
type Row = [
  code: ReadinessCode,
  state: ReadinessState,
  finding: string | RegExp,
  arrange: () => Arranged | Promise<Arranged>,
];

const rows: Row[] = [
  ['admin-second-factor', 'blocking', `${people.admin.fullName} can sign in with a password alone.`, () => {}],
  ['admin-second-factor', 'pass', 'All administrators sign in with a second factor.', secondFactor],
  ['admin-second-factor', 'unknown', 'No administrator with a password exists yet.', withoutAdministrator],
  ['second-admin', 'improve', `${people.admin.fullName} is the only administrator who can sign in.`, () => {}],
  ['second-admin', 'blocking', 'No administrator can sign in.', withoutAdministrator],
  [
    'second-admin',
    'pass',
    '2 administrators can sign in.',
    () =>
      change(
        `INSERT INTO account (id, email, full_name, user_type, claims, password_hash, email_confirmed, is_external, security_stamp, created_at)
         SELECT gen_random_uuid(), 'second@example.org', full_name, user_type, claims, password_hash, email_confirmed, is_external,
                security_stamp, created_at FROM account`,
        "DELETE FROM account WHERE email = 'second@example.org'",
      ),
  ],
  ['password-rule', 'pass', 'At least 12 characters, common passwords are refused.', () => {}],
  [
    'password-rule',
    'improve',
    'A password may have only 8 characters.',
    () => set('account', { password: { ...portal.config.account.password, requiredLength: 8 } }),
  ],
  [
    'sign-in-limits',
    'pass',
    'Failures are limited for an account and an address; one address may begin 1200 sign-ins in a minute.',
    () => {},
  ],
  [
    'sign-in-limits',
    'improve',
    'One address may begin 50000 sign-ins in a minute.',
    () => set('limits', { startsPerMinute: 50_000 }),
  ],

  ['fhir-capabilities', 'pass', 'FHIR 4.0.1, resource types: 1.', () => {}],
  ['fhir-capabilities', 'blocking', 'No FHIR server is configured.', () => set('fhir', { baseUrl: undefined })],
  [
    'fhir-capabilities',
    'blocking',
    'UPSTREAM: no usable CapabilityStatement (HTTP 403).',
    () => {
      answers.metadata = 403;
    },
  ],
  [
    'fhir-capabilities',
    'blocking',
    'UPSTREAM: no usable CapabilityStatement (/metadata is not a CapabilityStatement).',
    () => {
      answers.capabilities = {};
    },
  ],
  [
    'fhir-capabilities',
    'improve',
    'UPSTREAM: the CapabilityStatement names no resource types.',
    () => {
      answers.capabilities = statement;
    },
  ],
  [
    'fhir-direct-access',
    'pass',
    'A request without credentials is refused. Other systems may have credentials of their own.',
    () => {},
  ],
  [
    'fhir-direct-access',
    'unknown',
    'UPSTREAM answers on this machine without credentials. Whether other machines reach it cannot be seen from here.',
    () => {
      answers.search = 200;
    },
  ],
  [
    'fhir-direct-access',
    'improve',
    'UPSTREAM answers this machine without credentials.',
    () => {
      answers.search = 200;
      // Another name of this machine, which is no loopback address.
      set('fhir', { baseUrl: upstream.url.replace('127.0.0.1', '0.0.0.0') });
    },
  ],
  [
    'fhir-direct-access',
    'blocking',
    'UPSTREAM answers without a token, and the gateway is off: every app can read everything.',
    () => {
      answers.search = 200;
      set('gateway', { enabled: false });
    },
  ],
  [
    'fhir-direct-access',
    'unknown',
    'UPSTREAM: a request without credentials was not answered with data or with a refusal.',
    () => set('fhir', { baseUrl: 'http://127.0.0.1:9' }),
  ],
  ['fhir-transport', 'pass', 'The connection uses TLS, or stays on this machine.', () => {}],
  [
    'fhir-transport',
    'improve',
    'UPSTREAM is reached over the network without TLS.',
    () => set('fhir', { baseUrl: upstream.url.replace('127.0.0.1', '0.0.0.0') }),
  ],
  ['fhir-transport', 'unknown', 'No FHIR server is configured.', () => set('fhir', { baseUrl: undefined })],
  ['fhir-clock', 'pass', 'The clocks agree within 1 minute.', () => {}],
  [
    'fhir-clock',
    'improve',
    'UPSTREAM differs from this machine by 9 minutes.',
    () => {
      answers.date = new Date(Date.now() - 9.5 * 60_000).toUTCString();
    },
  ],
  [
    'fhir-clock',
    'unknown',
    'UPSTREAM sends no Date header.',
    () => {
      answers.date = '';
    },
  ],

  ['mail-server', 'improve', 'No mail server is configured; all mail waits.', () => {}],
  ['mail-server', 'blocking', 'No mail server is configured; all mail waits.', publicIssuer],
  ['mail-server', 'pass', 'Mail goes to mail.example.', () => set('email', { smtp })],
  [
    'mail-server',
    'improve',
    'Mail goes to mail.example without TLS, and its links give access to accounts.',
    () => set('email', { smtp: { ...smtp, security: 'none' } }),
  ],
  ['mail-queue', 'pass', 'No mail waits for more than ten minutes.', () => mailOfAge('9 minutes')],
  ['mail-queue', 'improve', 'Waiting mails: 1, the oldest for 11 minutes.', () => mailOfAge('11 minutes')],
  ['mail-queue', 'blocking', 'Waiting mails: 1, the oldest for 1 hour.', () => mailOfAge('61 minutes')],
  ['mail-test', 'unknown', 'No mail server is configured; all mail waits.', () => {}],
  ['mail-test', 'improve', 'No test mail was sent yet.', () => set('email', { smtp })],
  [
    'mail-test',
    'improve',
    /^A test mail was sent to ada\S+ \d+ seconds? ago, and was not confirmed\.$/,
    async () => {
      set('email', { smtp });
      await testMail('{"mailId":"m1"}');
    },
  ],
  [
    'mail-test',
    'improve',
    /^A test mail to ada\S+ has waited for the mail server for \d+ seconds?\.$/,
    async () => {
      set('email', { smtp });
      await testMail('{"mailId":"m1"}');
      await mailOfAge('1 second');
    },
  ],
  [
    'mail-test',
    'pass',
    'A test mail arrived 2 days ago.',
    async () => {
      set('email', { smtp });
      await testMail(JSON.stringify({ confirmedAt: new Date(Date.now() - 49 * 3_600_000) }));
    },
  ],
  ['mail-sender', 'unknown', 'There is no sender address without a mail server.', () => {}],
  [
    'mail-sender',
    'pass',
    'Mail comes from portal@hospital.example.',
    () => {
      publicIssuer();
      set('email', { smtp, from: 'Hospital <portal@hospital.example>' });
    },
  ],
  [
    'mail-sender',
    'improve',
    'Mail comes from portal@mail.example, and the portal is at login.hospital.example.',
    () => {
      publicIssuer();
      set('email', { smtp, from: 'portal@mail.example' });
    },
  ],

  ['client-secrets', 'pass', 'Every enabled client that needs a secret or key has a valid one.', () => {}],
  ['client-secrets', 'blocking', 'Ward Board: no valid secret or key.', () => secrets(`expires_at = ${past}`)],
  [
    'client-secrets',
    'improve',
    'Ward Board: an expired secret or key beside a valid one.',
    () => secrets(`expires_at = ${past}`, 'position = 0'),
  ],
  [
    'client-secrets',
    'pass',
    'Every enabled client that needs a secret or key has a valid one.',
    async () => {
      await secrets(`expires_at = ${past}`);
      await change('UPDATE client SET enabled = false', 'UPDATE client SET enabled = true');
    },
  ],
  ['client-wildcards', 'pass', 'Every enabled client is limited to some resource types.', () => {}],
  [
    'client-wildcards',
    'improve',
    'Heart Diary may get scopes for all resource types (*).',
    () => clientSettings(diary.clientId, { allowedResourceTypes: [] }, { allowedResourceTypes: ['Observation'] }),
  ],
  [
    'client-wildcards',
    'improve',
    'Heart Diary, Ward Board may get scopes for all resource types (*).',
    // As clients that are older than the setting.
    () =>
      change(
        "UPDATE client SET settings = settings - 'allowedResourceTypes'",
        `UPDATE client SET settings = settings || '{"allowedResourceTypes":["Observation"]}'`,
      ),
  ],
  [
    'client-offline-access',
    'pass',
    'No public client may get refresh tokens that are not bound to a key.',
    () => clientSettings(wardBoard.clientId, { allowOfflineAccess: true }, { allowOfflineAccess: false }),
  ],
  [
    'client-offline-access',
    'improve',
    'Heart Diary may get refresh tokens without a secret or key.',
    () => clientSettings(diary.clientId, { allowOfflineAccess: true }, { allowOfflineAccess: false }),
  ],
  [
    'client-use',
    'pass',
    'Every client with a secret or key was used in the last 90 days, or is younger. The use of public clients is not recorded.',
    async () => {
      await agedClients();
      await secrets(`last_used_at = ${past}`, 'position = 0');
    },
  ],
  [
    'client-use',
    'improve',
    'Ward Board: no secret or key was used for 90 days or more.',
    async () => {
      await agedClients();
      await secrets("last_used_at = now() - interval '91 days'", 'position = 0');
    },
  ],
  ['client-use', 'improve', 'Ward Board: no secret or key was used for 90 days or more.', agedClients],
  [
    'client-use',
    'unknown',
    'No enabled client has a secret or key, and the use of public clients is not recorded.',
    () =>
      change("UPDATE client SET enabled = false WHERE client_id = 'ward-board'", 'UPDATE client SET enabled = true'),
  ],

  ['issuer', 'pass', 'https://login.hospital.example uses TLS.', publicIssuer],
  ['issuer', 'improve', 'ISSUER can be reached from this machine only.', () => {}],
  ['issuer', 'blocking', 'http://login.example has no TLS.', () => set('server', { issuer: 'http://login.example' })],
  ['trusted-proxies', 'pass', 'No proxy is configured, and none is needed.', () => {}],
  [
    'trusted-proxies',
    'improve',
    'The address has TLS, so a proxy is in front of the portal, but none is trusted: all users seem to have its address.',
    publicIssuer,
  ],
  [
    'trusted-proxies',
    'blocking',
    '0.0.0.0/0 is trusted: anyone in it can claim any address.',
    () => set('server', { trustedProxies: ['10.0.0.5', '0.0.0.0/0'] }),
  ],
  [
    'master-key',
    'pass',
    'The key comes from the configuration, apart from the data.',
    () => set('keys', { masterKey: 'x' }),
  ],
  ['master-key', 'improve', 'The key is in the data folder, beside the database (DATA/master.key).', () => {}],
  ['master-key', 'blocking', 'The key is in the data folder, beside the database (DATA/master.key).', publicIssuer],
  ['signing-keys', 'pass', 'The next replacement is in 89 days.', () => {}],
  [
    'signing-keys',
    'improve',
    'Keys overdue for replacement: 2. A running portal replaces them by itself.',
    () =>
      change(
        "UPDATE signing_key SET signs_from = signs_from - interval '92 days'",
        "UPDATE signing_key SET signs_from = signs_from + interval '92 days'",
      ),
  ],
  [
    'signing-keys',
    'unknown',
    'There are no signing keys yet; the portal creates them at its first start.',
    () =>
      change(
        "UPDATE signing_key SET signs_from = signs_from + interval '1 day'",
        "UPDATE signing_key SET signs_from = signs_from - interval '1 day'",
      ),
  ],

  // The PostgreSQL of the tests gives up its durability; that of test/cli has it.
  ['database-durability', 'blocking', 'Off: fsync, full_page_writes. A power cut can destroy the database.', () => {}],
  ['database-transport', 'pass', 'The connection stays on this machine.', () => {}],
  ['database-connections', 'pass', /^This machine may open \d+ of \d+ connections\.$/, () => connections(0.5)],
  [
    'database-connections',
    'improve',
    /^This machine may open \d+ of \d+ connections; another node/,
    () => connections(0.9),
  ],
  [
    'database-connections',
    'blocking',
    /^This machine may open \d+ connections, the database accepts \d+\.$/,
    () => connections(1.1),
  ],
  ['database-clock', 'pass', 'The clocks of this machine and the database agree.', () => {}],
  [
    'database-clock',
    'improve',
    'The clocks of this machine and the database differ by 30 seconds.',
    () => lateBy(30.5),
  ],
  ['database-clock', 'blocking', 'The clocks of this machine and the database differ by 2 minutes.', () => lateBy(121)],
  ['migrations', 'pass', 'The database has all migrations of this version.', () => {}],
  [
    'migrations',
    'blocking',
    'Pending migrations of this version: 1.',
    () =>
      change(
        "UPDATE migrations SET name = 'Later' WHERE name = 'EarlyVacuum1763700000056'",
        "UPDATE migrations SET name = 'EarlyVacuum1763700000056' WHERE name = 'Later'",
      ),
  ],
  [
    'migrations',
    'improve',
    'Migrations of a later version in the database: 1.',
    () =>
      change(
        "INSERT INTO migrations (timestamp, name) VALUES (1, 'Later')",
        "DELETE FROM migrations WHERE name = 'Later'",
      ),
  ],
  [
    'backups',
    'unknown',
    'No backup is recorded, and PostgreSQL archives no write-ahead log. Gatehouse sees no other backups.',
    () => {},
  ],
  ['backups', 'improve', 'The last recorded backup is 8 days old.', () => note('backup', '8 days')],
  [
    'backups',
    'pass',
    /^A backup was recorded \d+ seconds? ago\.$/,
    async () => {
      await note('backup', '8 days');
      await service(OperatorNotes).backupWasTaken();
    },
  ],

  ['audit-seals', 'pass', 'All events older than ten minutes are sealed.', () => {}],
  [
    'audit-seals',
    'improve',
    'The oldest event without a seal is 11 minutes old.',
    async () => {
      await portal.query('DELETE FROM audit_unsealed');
      await change(
        `WITH event AS (
           INSERT INTO audit_event (recorded_at, type, outcome) VALUES (now() - interval '11 minutes', 'login', 'success')
           RETURNING id)
         INSERT INTO audit_unsealed SELECT id FROM event`,
        'DELETE FROM audit_unsealed',
      );
    },
  ],
  ['audit-verified', 'improve', 'The seals were never verified.', () => {}],
  ['audit-verified', 'improve', 'The seals were last verified 91 days ago.', () => note('audit-verified', '91 days')],
  [
    'audit-verified',
    'pass',
    'The seals were verified 3 hours ago.',
    () => note('audit-verified', '3 hours', '{"problems":0}'),
  ],
  [
    'audit-verified',
    'blocking',
    /^The last verification, \d+ seconds? ago, failed\. Problems: 2\.$/,
    async () => {
      await note('audit-verified', '3 hours');
      await service(OperatorNotes).auditWasVerified(2);
    },
  ],
  ['audit-archives', 'pass', 'The record is kept in the database for ever (`audit.keepMonths`).', () => {}],
  [
    'audit-archives',
    'pass',
    'No month in the database is older than `audit.keepMonths` (3).',
    () => set('audit', { keepMonths: 3 }),
  ],
  [
    'audit-archives',
    'improve',
    /^Months that are older than `audit.keepMonths` and still in the database: 2\. The first one is \d{4}-\d\d\.$/,
    async () => {
      await portal.query(
        "INSERT INTO audit_event (recorded_at, type, outcome) VALUES (now() - interval '5 months', 'login', 'success')",
      );
      set('audit', { keepMonths: 3 });
    },
  ],
];

describe('A check of the readiness report', () => {
  it.each(rows)('%s: %s: %s', async (code, state, finding, arrange) => {
    const restore = await arrange();
    try {
      const found = await checkOf(code);
      const text = found.finding.text
        .replace(portal.config.fhir.baseUrl ?? upstream.url, 'UPSTREAM')
        .replace(portal.config.server.issuer, (issuer) => (issuer === original.server.issuer ? 'ISSUER' : issuer))
        .replace(portal.config.dataDir, 'DATA');
      const expected = typeof finding === 'string' ? finding : expect.stringMatching(finding);
      expect([found.state, text]).toEqual([state, expected]);
    } finally {
      restore?.();
    }
  });

  it('that passes says nothing of what to do, and any other one says why it matters', async () => {
    for (const { checks } of (await report()).sections) {
      for (const { code, state, why, advice } of checks) {
        expect([code, why.text.length > 20, advice === null]).toEqual([code, true, state === 'pass']);
      }
    }
  });

  it('that fails or takes too long is unknown, and the others have their results', async () => {
    const locking = new pg.Client(portal.connection);
    await locking.connect();
    try {
      await locking.query('BEGIN; LOCK TABLE two_factor IN ACCESS EXCLUSIVE MODE');
      await change('ALTER TABLE signing_key RENAME TO hidden_key', 'ALTER TABLE hidden_key RENAME TO signing_key');
      const given = await report();
      const [late, failed, other] = await Promise.all(
        (['second-admin', 'signing-keys', 'client-secrets'] as const).map((code) => checkOf(code, given)),
      );
      expect([late?.state, late?.finding.text]).toEqual(['unknown', expect.stringMatching('could not be checked')]);
      expect([failed?.state, failed?.finding.code]).toEqual(['unknown', 'readiness-failed']);
      expect(other?.state).toBe('pass');
    } finally {
      await locking.end();
    }
  });

  it('shows the address of a FHIR server without the password in it', async () => {
    answers.search = 404;
    set('fhir', { baseUrl: upstream.url.replace('://', '://portal:hidden@') });
    const text = JSON.stringify(await report());
    expect(text).toContain(`${upstream.url}: a request without credentials`);
    expect(text).not.toContain('hidden');
  });

  it('shows hostile names harmlessly, and cuts them', async () => {
    const name = `Heart\u0007\u202e\n<b>Diary</b> ${'x'.repeat(200)}`;
    await portal.query('UPDATE client SET client_name = $1 WHERE client_id = $2', [name, diary.clientId]);
    undone.push(`UPDATE client SET client_name = 'Heart Diary' WHERE client_id = '${diary.clientId}'`);
    await clientSettings(diary.clientId, { allowedResourceTypes: [] }, { allowedResourceTypes: ['Observation'] });
    const { finding } = await checkOf('client-wildcards');
    expect(finding.text).toMatch(/^Heart <b>Diary<\/b> x{41}… may get scopes for all resource types \(\*\)\.$/);
  });
});

describe('The readiness report', () => {
  it('counts the checks by state, and is ready exactly when nothing blocks', async () => {
    const blocked = await report();
    const states = blocked.sections.flatMap(({ checks }) => checks.map(({ state }) => state));
    for (const [state, count] of Object.entries(blocked.counts)) {
      expect([state, states.filter((one) => one === state).length]).toEqual([state, count]);
    }
    expect([blocked.ready, blocked.counts.blocking, blocked.checkedBy]).toEqual([false, 2, null]);
    await secondFactor();
    expect((await report()).counts.blocking).toBe(1);
  });

  it('is one line for each check that passes, and says of the others what to do, as text', async () => {
    const text = reportAsText(await report()).split('\n');
    expect(text[0]).toMatch(/^Gatehouse \d\S+, http:\/\/localhost:\d+$/);
    expect(text).toContain('pass        Reverse proxies: No proxy is configured, and none is needed.');
    const at = text.indexOf('TO IMPROVE  Verification of the audit record: The seals were never verified.');
    expect(text.slice(at, at + 4)).toEqual([
      'TO IMPROVE  Verification of the audit record: The seals were never verified.',
      '            A seal proves something only if it is verified.',
      '            Verify them with the command, at least every 90 days.',
      '            Command: npx gatehouse audit verify',
    ]);
    expect(text.at(-1)).toBe('Not ready to go live: solve what blocks, and check again.');
  });
});
