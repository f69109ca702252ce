import { mock } from 'node:test';
import type { AccountForm, OpenedAccount } from '../../src/contract/requests/accounts.js';
import type { OwnRequestList } from '../../src/contract/requests.js';
import { shippedBases } from '../../src/platform/config/representation-defaults.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { ask } from '../support/representation/asked.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { eventually } from '../support/until.js';

let sink: MailSink;
let portal: FamilyPortal;
let askers = 0;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startFamilyPortal({ nodes: 2, config: { email: sink.config } });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

beforeEach(() => portal.query('DELETE FROM rate_limit'));

const path = '/api/requests/account';
const stranger = (node = 0) => new Agent(portal.issuer, portal.ports[node]);
const newAddress = () => {
  askers += 1;
  return `asker-${askers}@example.org`;
};
const begin = (email: string, more: object = {}, by = stranger()) =>
  by.post(path, { fullName: 'Rosa Lind', email, ...more });
const accounts = (email: string) =>
  portal.query<object>('SELECT full_name, user_type, claims FROM account WHERE lower(email) = lower($1)', [email]);
const mailsSent = async () => {
  await eventually(async () => expect(await portal.query("SELECT FROM job WHERE kind = 'mail'")).toEqual([]));
  return sink.received.length;
};

async function linkFor(email: string, more: object = {}): Promise<{ u: string; t: string }> {
  expect((await begin(email, more)).status).toBe(204);
  const { u, t } = linkInMail(await sink.to(email));
  return { u, t };
}

describe('A user without an account', () => {
  it('proves the address, chooses a password, and asks for a child; the account sees nothing', async () => {
    const email = newAddress();
    const { u, t } = await linkFor(email);
    expect(await accounts(email)).toEqual([]);
    const answer = await stranger(1).post(`${path}/${u}`, { token: t });
    expect(answer.status).toBe(200);
    expect(await accounts(email)).toEqual([{ full_name: 'Rosa Lind', user_type: 'RelatedPerson', claims: [] }]);
    const { activation } = answer.json<OpenedAccount>();
    expect(activation).toMatch(/^\/account\/activate\?u=/);
    const chosen = new URL(activation, portal.issuer).searchParams;
    const password = 'heron-basket-5521';
    const form = { token: chosen.get('t'), password };
    expect((await stranger().post(`/api/user/${chosen.get('u')}/activate`, form)).status).toBe(204);
    const rosa = await portal.as({ ...family.ana, email, password });
    expect((await rosa.get('/api/representation')).json()).toEqual({ lookedAfter: [], helpers: [] });
    expect(await ask(rosa, 'NB1', {}, [])).toMatchObject({ status: 'waiting', patientName: 'Leo Duarte' });
    expect((await rosa.get('/api/requests')).json<OwnRequestList>().requests).toHaveLength(1);
  });

  it('gets the same answer with an address that has an account, whose user is told how to sign in', async () => {
    const [known, unknown] = [await begin(family.ana.email.toUpperCase()), await begin(newAddress())];
    const shape = ({ status, text, headers }: typeof known) => [status, text, Object.keys(headers).sort()];
    expect(shape(known)).toEqual(shape(unknown));
    const { mail } = await sink.to(family.ana.email);
    expect(mail.text).toContain(`${portal.issuer}/login`);
    expect(mail.text).not.toContain('Rosa');
    expect(await accounts(family.ana.email)).toHaveLength(1);
  });

  it('gets no words of a stranger by mail', async () => {
    const email = newAddress();
    await begin(email, { fullName: 'Win a prize at evil.example' });
    expect((await sink.to(email)).raw).not.toMatch(/prize|evil/);
  });

  it.each([
    ['mailbox', 3, () => 'one@example.org'],
    ['caller', 20, () => newAddress()],
  ])('gets the same answer above the limit of a %s, and no mail', async (_, most, address) => {
    const before = await mailsSent();
    for (let asked = 0; asked < most; asked += 1) expect((await begin(address())).status).toBe(204);
    expect(await mailsSent()).toBe(before + most);
    expect((await begin(address())).status).toBe(204);
    expect(await mailsSent()).toBe(before + most);
  });

  it.each([
    ['no name', { fullName: ' ' }, 'fullName'],
    ['a name with marks that turn its order', { fullName: 'Ro\u202esa' }, 'fullName'],
    ['a name of 10,000 characters', { fullName: 'x'.repeat(10_000) }, 'fullName'],
    ['no address', { email: 'rosa' }, 'email'],
    ['an address with a line break', { email: 'a@example.org\r\nBcc: b@example.org' }, 'email'],
    ['a list of addresses', { email: ['a@example.org'] }, 'email'],
    ['a hospital that is not there', { tenant: 'west' }, 'tenant'],
    ['another member', { userType: 'Admin' }, 'userType'],
  ])('is told at the field of %s', async (_, more, field) => {
    const answer = await begin('rosa@example.org', more);
    expect([answer.status, answer.json()]).toMatchObject([400, { errors: [{ field }] }]);
    expect(await accounts('rosa@example.org')).toEqual([]);
  });
});

describe('A link', () => {
  it('makes one account when it is used at the same time on two nodes', async () => {
    const email = newAddress();
    const { u, t } = await linkFor(email);
    const answers = await Promise.all([0, 1, 0, 1].map((node) => stranger(node).post(`${path}/${u}`, { token: t })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status < 500)).toBe(true);
    expect(await accounts(email)).toHaveLength(1);
    const again = await stranger().post(`${path}/${u}`, { token: t });
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('ask in Family and carers')]);
  });

  it.each([
    ['the token of another link', (t: string) => ['ffffffff-0000-4000-8000-000000000000', t]],
    ['a changed token', (t: string, u: string) => [u, `${t.slice(0, -2)}AA`]],
    ['no token', (_: string, u: string) => [u, '']],
    ['a text', () => ['x', 'x'.repeat(4000)]],
  ])('with %s has ended', async (_, change) => {
    const email = newAddress();
    const { u, t } = await linkFor(email);
    const [id, token] = change(t, u);
    expect((await stranger().post(`${path}/${id}`, { token })).status).toBe(404);
    expect(await accounts(email)).toEqual([]);
  });

  it('ends after 24 hours', async () => {
    const email = newAddress();
    const { u, t } = await linkFor(email);
    const now = Date.now();
    const clock = mock.method(Date, 'now', () => now + 24 * 3_600_000 + 1_000);
    const answer = await stranger().post(`${path}/${u}`, { token: t });
    clock.mock.restore();
    expect(answer.status).toBe(404);
    expect(await accounts(email)).toEqual([]);
  });
});

describe('The page', () => {
  it('is open without a session, and names the hospitals', async () => {
    expect((await stranger().get(path)).json<AccountForm>()).toEqual({ tenants: [], isTenantRequired: false });
    expect((await stranger().get('/api/settings')).json()).toMatchObject({ askersWithoutAccount: true });
  });
});

describe.each([
  ['accountsByRequest is false', { representation: { accountsByRequest: false } }],
  ['no basis is asked for by form', { representation: { bases: { voluntary: shippedBases.voluntary } } }],
  ['there are no passwords', { account: { localLogin: false } }],
])('Where %s', (_, config) => {
  it('users without an account cannot ask', async () => {
    const closed = await startFamilyPortal({ config });
    const agent = new Agent(closed.issuer);
    for (const answer of [
      await agent.get(path),
      await agent.post(path, { fullName: 'Rosa Lind', email: 'rosa@example.org' }),
      await agent.post(`${path}/x`, { token: 'x' }),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await agent.get('/api/settings')).json()).not.toHaveProperty('askersWithoutAccount');
    await closed.close();
  });
});

describe('At a portal of several hospitals', () => {
  it('the account belongs to the one that was chosen', async () => {
    const several = await startFamilyPortal({ tenants: ['north', 'south'], config: { email: sink.config } });
    const agent = new Agent(several.issuer);
    const email = newAddress();
    expect((await agent.get(path)).json<AccountForm>().tenants.map(({ id }) => id)).toEqual(['north', 'south']);
    const form = { fullName: 'Rosa Lind', email };
    expect((await agent.post(path, { ...form, tenant: 'south' })).status).toBe(204);
    const { u, t } = linkInMail(await sink.to(email));
    expect((await agent.post(`${path}/${u}`, { token: t })).status).toBe(200);
    expect(await several.query('SELECT claims FROM account WHERE email = $1', [email])).toEqual([
      { claims: [{ name: 'tenant', value: 'south' }] },
    ]);
    await several.close();
  });

  it('no choice means the hospital of the FHIR server that belongs to no tenant', async () => {
    const several = await startFamilyPortal({ tenants: ['north'], config: { email: sink.config } });
    const agent = new Agent(several.issuer);
    const email = newAddress();
    expect((await agent.get(path)).json<AccountForm>().isTenantRequired).toBe(false);
    expect((await agent.post(path, { fullName: 'Rosa Lind', email, tenant: '' })).status).toBe(204);
    const { u, t } = linkInMail(await sink.to(email));
    expect((await agent.post(`${path}/${u}`, { token: t })).status).toBe(200);
    expect(await several.query('SELECT claims FROM account WHERE email = $1', [email])).toEqual([{ claims: [] }]);
    await several.close();
  });

  it('a choice is needed where each FHIR server belongs to a tenant', async () => {
    const north = { id: 'north', name: 'North', baseUrl: 'http://127.0.0.1:9', credentials: { type: 'none' as const } };
    const several = await startFamilyPortal({ config: { email: sink.config, fhir: { tenants: [north] } } });
    const agent = new Agent(several.issuer);
    expect((await agent.get(path)).json<AccountForm>().isTenantRequired).toBe(true);
    for (const tenant of [undefined, '']) {
      const asked = { fullName: 'Rosa Lind', email: newAddress(), ...(tenant !== undefined && { tenant }) };
      expect((await agent.post(path, asked)).json()).toMatchObject({ errors: [{ field: 'tenant' }] });
    }
    await several.close();
  });
});
