import type { UserList, UserView } from '../../src/contract/users/users.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const path = '/api/admin/user';
const secondAdmin = { ...people.admin, email: 'olga.admin@example.org', password: 'granite-lantern-5561' };
const lena = {
  fullName: 'Lena Marsh',
  email: 'lena.marsh@example.org',
  userType: 'Patient',
  claims: [{ name: 'fhirUser', value: 'Patient/77' }],
};

let sink: MailSink;
let portal: TestPortal;
let admin: Agent;

async function signedIn({ email, password }: { email: string; password: string }): Promise<Agent> {
  const agent = new Agent(portal.issuer);
  const { status } = await agent.post('/api/session/login', { username: email, password });
  expect(status).toBe(200);
  return agent;
}

async function created(change: object = {}): Promise<UserView> {
  const answer = await admin.post(path, { ...lena, ...change });
  expect(answer.status).toBe(201);
  return answer.json<UserView & Record<string, unknown>>();
}

async function idOf(email: string): Promise<string> {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  return row?.id ?? '';
}

async function listed(query: string): Promise<UserList> {
  const answer = await admin.get(`${path}?${query}`);
  expect(answer.status).toBe(200);
  return answer.json<UserList & Record<string, unknown>>();
}

const names = async (query: string) => (await listed(query)).users.map(({ fullName }) => fullName);
const put = (id: string, body: unknown) => admin.send(`${path}/${id}`, { method: 'PUT', body });
const remove = (id: string, by = admin) => by.send(`${path}/${id}`, { method: 'DELETE' });

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: {
      email: sink.config,
      clients: [publicApp],
      users: [people.admin, secondAdmin, people.patient, people.practitioner],
    },
  });
  admin = await signedIn(people.admin);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

describe('the list of users', () => {
  beforeAll(async () => {
    await created({ fullName: "100% O'Neill_", email: 'oneill@example.org' });
    await created({
      fullName: 'zoe back\\slash',
      email: 'Zoe@example.org',
      claims: [{ name: 'fhirUser', value: 'Patient/99' }],
    });
    await portal.query("UPDATE account SET is_external = true WHERE email = 'Zoe@example.org'");
    await created({ fullName: 'Ina Complete', email: 'ina@example.org' });
    await portal.query("UPDATE account SET user_type = 'Incomplete', claims = '[]' WHERE email = 'ina@example.org'");
  });

  it('has all users except administrators, by name in any case, five a page', async () => {
    const { users, totalCount } = await listed('');
    expect(users.map(({ fullName }) => fullName)).toEqual([
      "100% O'Neill_",
      'Amelia Ward',
      'Ina Complete',
      'Mira Hart',
      'zoe back\\slash',
    ]);
    expect(totalCount).toBe(5);
    expect(users[1]).toEqual({
      id: await idOf(people.patient.email),
      fullName: 'Amelia Ward',
      email: people.patient.email,
      emailConfirmed: true,
      isExternal: false,
      userType: 'Patient',
      claims: [{ name: 'fhirUser', value: 'Patient/1' }],
      version: 1,
    });
  });

  it('sorts, filters and pages', async () => {
    expect(await names('sortDirection=1')).toEqual((await names('')).reverse());
    expect((await names('sortColumn=email'))[0]).toBe('Amelia Ward');
    expect(await names('usertype=Practitioner')).toEqual(['Mira Hart']);
    expect(await names('usertype=Practitioner&usertype=Incomplete')).toEqual(['Ina Complete', 'Mira Hart']);
    expect(await names('isExternal=true')).toEqual(['zoe back\\slash']);
    expect(await names('isExternal=true&isExternal=false')).toHaveLength(5);
    expect(await names('hasClaimValue=Patient%2F99')).toEqual(['zoe back\\slash']);
    expect(await names('hasClaimValue=Patient')).toEqual([]);
    for (const form of ['Patient/99/_history/2', 'https://fhir.example/Patient/99', 'patient/99'])
      expect(await names(`hasClaimValue=${encodeURIComponent(form)}`)).toEqual(['zoe back\\slash']);
    expect(await names('searchTerm=AMELIA')).toEqual(['Amelia Ward']);
    expect(await names('searchTerm=zoe%40')).toEqual(['zoe back\\slash']);
    expect(await listed('page=2')).toEqual({ users: [], totalCount: 5 });
    expect(await listed('pageSize=10&notIncludeClaims=true&searchTerm=amelia')).toMatchObject({
      users: [{ claims: [] }],
    });
  });

  it('I-11 treats special characters of a search term literally', async () => {
    for (const term of ['%', '_', "'"])
      expect(await names(`searchTerm=${encodeURIComponent(term)}`)).toEqual(["100% O'Neill_"]);
    expect(await names('searchTerm=%5C')).toEqual(['zoe back\\slash']);
    expect(await names('searchTerm=.*')).toEqual([]);
  });

  it.each([
    'page=0',
    'pageSize=7',
    'sortColumn=password_hash',
    'sortDirection=2',
    'usertype=Admin',
    'isExternal=maybe',
    'notIncludeClaims=1',
    'withLastSignIn=1',
    `searchTerm=${'a'.repeat(201)}`,
    'searchTerm=a&searchTerm=b',
    'searchTerm=%00',
    `hasClaimValue=${'a'.repeat(251)}`,
    'unknown=1',
  ])('refuses the query %s', async (query) => {
    expect((await admin.get(`${path}?${query}`)).status).toBe(400);
  });

  it('I-16 contains no password, key or token', async () => {
    const [{ password_hash: hash = '' } = {}] = await portal.query<{ password_hash: string }>(
      'SELECT password_hash FROM account WHERE email = $1',
      [people.patient.email],
    );
    const { text } = await admin.get(`${path}?pageSize=100`);
    expect(text).not.toContain(hash);
    expect(text).not.toMatch(/hash|stamp|password/i);
  });
});

describe('a single user', () => {
  it('is read, and changed in name and claims', async () => {
    const user = await created({ email: 'changed@example.org' });
    const claims = [...user.claims, { name: ' ward ', value: ' 4B ' }];
    const answer = await put(user.id, { fullName: ' Lena Reed ', userType: 'Patient', claims });
    expect(answer.status).toBe(200);
    const changed = { ...user, fullName: 'Lena Reed', claims: [...user.claims, { name: 'ward', value: '4B' }] };
    expect(answer.json()).toEqual({ ...changed, version: 2 });
    expect((await admin.get(`${path}/${user.id}`)).json()).toEqual({ ...changed, version: 2 });
  });

  it('I-04 keeps the type unless it is Incomplete', async () => {
    const user = await created({ email: 'type@example.org' });
    const form = { fullName: 'T', userType: 'Practitioner', claims: [{ name: 'fhirUser', value: 'Practitioner/1' }] };
    const refused = await put(user.id, form);
    expect([refused.status, errorsOf(refused)]).toEqual([
      400,
      [{ field: 'userType', messages: ['The user type can only be changed while the account is incomplete.'] }],
    ]);
    await portal.query("UPDATE account SET user_type = 'Incomplete' WHERE id = $1", [user.id]);
    const accepted = await put(user.id, form);
    expect([accepted.status, accepted.json().userType]).toEqual([200, 'Practitioner']);
  });

  it.each<[string, object, string, string]>([
    ['an empty name', { fullName: ' ' }, 'fullName', 'Field is required'],
    ['I-04 an administrator', { userType: 'Admin' }, 'userType', 'The user type must be Patient or Practitioner.'],
    ['no fhirUser', { claims: [{ name: 'a', value: 'b' }] }, 'claims', 'The fhirUser claim is mandatory'],
    [
      'another type in fhirUser',
      { claims: [{ name: 'fhirUser', value: 'Practitioner/1' }] },
      'claims.0.value',
      "The 'fhirUser' claim must point to resource matching Patient type.",
    ],
    [
      'I-09 a second fhirUser',
      { claims: [...lena.claims, { name: 'FHIRUSER', value: 'Patient/2' }] },
      'claims.1.name',
      "The claim 'FHIRUSER' is set by the server and cannot be chosen.",
    ],
    ['I-04 an address', { email: 'x@example.org' }, 'email', 'This member is not allowed'],
    ['I-04 an id', { id: 'x' }, 'id', 'This member is not allowed'],
    ['I-04 a confirmation', { emailConfirmed: true }, 'emailConfirmed', 'This member is not allowed'],
  ])('cannot be changed to have %s', async (_what, change, field, message) => {
    const { email: _, ...form } = lena;
    const answer = await put(await idOf(people.patient.email), { ...form, ...change });
    expect(answer.status).toBe(400);
    expect(errorsOf(answer)[0]).toEqual({ field, messages: [message] });
  });

  it.each(['00000000-0000-4000-8000-000000000000', 'no-id', '%27'])(
    'with an unknown id (%s) is answered 404',
    async (id) => {
      const { email: _, ...form } = lena;
      const answers = [
        await admin.get(`${path}/${id}`),
        await put(id, form),
        await remove(id),
        await admin.post(`${path}/${id}/resend-confirmation`, undefined),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.json().message]).toEqual([
          404,
          'The selected user no longer exists. Please refresh the page to view the latest user list.',
        ]);
      }
    },
  );

  it('E-10 whose fhirUser claim is changed loses sessions and grants', async () => {
    const app = new SmartApp(portal);
    const { refresh_token = '' } = await app.tokens(people.patient);
    const id = await idOf(people.patient.email);
    const form = { fullName: people.patient.fullName, userType: 'Patient', claims: people.patient.claims };
    expect((await put(id, form)).status).toBe(200);
    const refreshed = await app.refresh(refresh_token);
    expect(refreshed.status).toBe(200);
    expect((await put(id, { ...form, claims: [{ name: 'fhirUser', value: 'Patient/5' }] })).status).toBe(200);
    expect((await app.refresh(refreshed.json<{ refresh_token: string }>().refresh_token)).status).toBe(400);
    expect((await app.browser.get('/api/session')).status).toBe(401);
    await put(id, form);
  });
});

describe('inviting a user', () => {
  it('sends a link to the issuer', async () => {
    const user = await created({ email: 'invited@example.org' });
    const mail = await sink.to('invited@example.org');
    const { url, u, t } = linkInMail(mail);
    expect(url).toBe(`${portal.issuer}/account/activate?u=${user.id}&t=${t}`);
    expect(u).toBe(user.id);
    expect(mail.mail.text).toContain('Hello Lena Marsh,');
  });

  it('again sends another link, at most five times a day', async () => {
    const user = await created({ email: 'again@example.org' });
    const first = linkInMail(await sink.to('again@example.org'));
    for (let times = 1; times <= 5; times += 1) {
      expect((await admin.post(`${path}/${user.id}/resend-confirmation`, undefined)).status).toBe(204);
    }
    const refused = await admin.post(`${path}/${user.id}/resend-confirmation`, undefined);
    expect([refused.status, Number(refused.headers['retry-after']) > 3600]).toEqual([429, true]);
    const mails = sink.received.filter(({ to }) => to.includes('again@example.org'));
    expect(mails.length).toBeLessThanOrEqual(6);
    const choose = { password: 'amber-window-2219', token: first.t };
    expect((await new Agent(portal.issuer).post(`/api/user/${user.id}/activate`, choose)).status).toBe(400);
  });

  it('shows no link to the administrator, since a mail also proves the address', async () => {
    const user = await created({ email: 'by-mail@example.org' });
    const refused = await admin.post(`${path}/${user.id}/invitation-link`, undefined);
    expect([refused.status, refused.json().message]).toEqual([
      409,
      'The link of an invitation is sent by mail, which also proves the address.',
    ]);
    expect((await admin.get(`${path}/${user.id}/sign-in`)).json()).toMatchObject({ canCopyInvitation: false });
  });

  it('H-14 again is refused when the address is confirmed, and sends no mail', async () => {
    const answer = await admin.post(`${path}/${await idOf(people.patient.email)}/resend-confirmation`, undefined);
    expect(answer.status).toBe(409);
    expect(sink.received.filter(({ to }) => to.includes(people.patient.email))).toEqual([]);
  });
});

it('the database counts the accounts of each type correctly through all changes', async () => {
  const kinds = 'SELECT user_type, is_external, count(*)::int AS people FROM account GROUP BY 1, 2 ORDER BY 1, 2';
  const tally = 'SELECT user_type, is_external, people::int FROM account_tally WHERE people <> 0 ORDER BY 1, 2';
  expect(await portal.query(tally)).toEqual(await portal.query(kinds));
  await portal.query(`
    INSERT INTO account (id, email, full_name, user_type, claims, email_confirmed, is_external, security_stamp, created_at)
    SELECT gen_random_uuid(), 'many-' || i || '@example.org', 'Many', 'Patient', '[]', true, i % 2 = 0, '', now()
      FROM generate_series(1, 9) i`);
  await portal.query("UPDATE account SET user_type = 'Practitioner' WHERE email LIKE 'many-%' AND is_external");
  expect(await portal.query(tally)).toEqual(await portal.query(kinds));
  await portal.query("DELETE FROM account WHERE email LIKE 'many-%'");
  expect(await portal.query(tally)).toEqual(await portal.query(kinds));
});

describe('deleting a user', () => {
  it('I-07 ends sessions, grants, tokens and consents at once', async () => {
    const id = await idOf(people.practitioner.email);
    const app = new SmartApp(portal, { scope: 'openid fhirUser user/*.rs offline_access' });
    const returnUrl = await app.begin();
    await app.signIn(people.practitioner, returnUrl);
    const atConsent = await app.follow(returnUrl);
    const consentUrl = new URL(atConsent).searchParams.get('returnUrl') ?? '';
    await app.consent(consentUrl, await app.offeredScopes(consentUrl), true);
    const landed = new URL(await app.follow(consentUrl));
    const tokens = (await app.exchange(landed.searchParams.get('code') ?? '')).json<Record<string, string>>();
    expect(await portal.query('SELECT FROM app_consent WHERE account_id = $1', [id])).toHaveLength(1);
    await portal.query("INSERT INTO receipt VALUES ('BBBB-BBBB-BBBB', $1, 'app', now(), '{}')", [id]);
    await portal.query("INSERT INTO app_pause VALUES ($1, 'app')", [id]);
    await portal.query("INSERT INTO represented_pause VALUES ($1, 'app', gen_random_uuid())", [id]);
    await portal.query(
      `INSERT INTO passkey VALUES (gen_random_uuid(), $1, 'c', '', 0, '{}', false, false, 'other', 'Key', now())`,
      [id],
    );
    await portal.query('INSERT INTO passkey_offer VALUES ($1, 1, now())', [id]);
    await portal.query('INSERT INTO account_recovery VALUES ($1, now(), now())', [id]);
    await portal.query("INSERT INTO recovery_code_set VALUES ($1, '{hash}')", [id]);
    await portal.query("INSERT INTO user_import (id, actor, file_hash) VALUES ($1, 'admin', '')", [id]);
    await portal.query("INSERT INTO user_import_line VALUES ($1, 2, NULL, 'created')", [id]);
    await portal.query('INSERT INTO user_import_account VALUES ($1, $1, 2)', [id]);
    expect((await remove(id)).status).toBe(204);
    const node = new Agent(portal.issuer, portal.ports[1]);
    for (const [name, value] of app.browser.cookies) node.cookies.set(name, value);
    expect((await node.get('/api/session')).status).toBe(401);
    expect((await app.refresh(tokens.refresh_token ?? '')).status).toBe(400);
    const userinfo = await node.get('/connect/userinfo', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(userinfo.status).toBe(401);
    for (const table of [
      'oidc_record',
      'app_consent',
      'account_link',
      'receipt',
      'app_pause',
      'represented_pause',
      'passkey',
      'passkey_offer',
      'account_recovery',
      'recovery_code_set',
      'user_import_account',
    ]) {
      expect(await portal.query(`SELECT FROM ${table} WHERE account_id::text = $1`, [id])).toEqual([]);
    }
    expect((await admin.get(`${path}/${id}`)).status).toBe(404);
  });

  it('I-06 is refused for an administrator, and for the caller', async () => {
    const own = await remove(await idOf(people.admin.email));
    expect([own.status, own.json().message]).toEqual([409, 'You cannot delete your own account.']);
  });

  it('I-06 leaves one of two administrators who delete each other at once', async () => {
    const other = await signedIn(secondAdmin);
    other.port = portal.ports[1] ?? 0;
    const ids = [await idOf(secondAdmin.email), await idOf(people.admin.email)] as const;
    const answers = await Promise.all([remove(ids[0]), remove(ids[1], other)]);
    // The slower administrator's session may have ended before the call was admitted.
    expect(answers.map(({ status }) => status).sort()[0]).toBe(204);
    expect([401, 409]).toContain(answers.map(({ status }) => status).sort()[1]);
    expect(await portal.query("SELECT FROM account WHERE user_type = 'Admin'")).toHaveLength(1);
  });
});

it.each([
  ['GET', path],
  ['GET', `${path}/x`],
  ['PUT', `${path}/x`],
  ['DELETE', `${path}/x`],
  ['POST', `${path}/x/resend-confirmation`],
  ['POST', `${path}/x/invitation-link`],
])('I-02 %s %s requires an administrator', async (method, route) => {
  const body = method === 'PUT' || method === 'POST' ? {} : undefined;
  expect((await new Agent(portal.issuer).send(route, { method, body })).status).toBe(401);
  expect((await (await signedIn(people.patient)).send(route, { method, body })).status).toBe(403);
});
