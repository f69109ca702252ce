import type { GrantList } from '../../src/contract/own-record/grants.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { clientKinds, confidentialKinds } from '../support/clients/client-kinds.js';
import { endUndoTime, publicApp } from '../support/clients/clients.js';
import { startUpstream, type Upstream } from '../support/fhir/gateway.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { untilFhirServerIsAvailable } from '../support/portal/fhir-portal.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { appsOfKind, asBearer, asResourceServer, resourceServer, tokenScope } from '../support/portal/token-portal.js';
import { inTurn, isLong } from '../support/runs.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';
import { receiptAt, receiptPath, receiptsOn, revoke, timeOf } from './receipt-records.js';

const appOf = (clientId: string, settings: object = {}) => {
  return {
    ...publicApp,
    requireConsent: false,
    accessTokenType: 'Reference',
    clientId,
    clientName: clientId,
    ...settings,
  };
};
const diary = appOf('diary', {
  clientName: 'Heart Diary',
  legalCompanyName: 'Fernhill',
  contactUsUrl: 'https://fernhill.example/',
});
const asking = appOf('asking', { requireConsent: true });
const disabled = appOf('disabled-app');
const deleted = appOf('deleted-app');
const services = confidentialKinds.map((kind) => kind.service('service'));

const resource = [{ type: 'Observation', searchParam: [{ name: 'patient', type: 'reference' }] }];
const metadata = { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ mode: 'server', resource }] };
const observation = { resourceType: 'Observation', id: 'o1', status: 'final', subject: { reference: 'Patient/1' } };
const searchset = { resourceType: 'Bundle', type: 'searchset', entry: [{ resource: observation }] };
const aRead = '/fhir/Observation/o1';

let portal: TestPortal;
let sink: MailSink;
let upstream: Upstream;
let admin: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  upstream = await startUpstream(({ url = '' }, response) => {
    const body = url.endsWith('/metadata') ? metadata : url.includes('?') ? searchset : observation;
    response.writeHead(200, { 'Content-Type': 'application/fhir+json', ETag: 'W/"1"' }).end(JSON.stringify(body));
  });
  portal = await startPortal({
    nodes: 2,
    config: {
      fhir: { baseUrl: upstream.url },
      users: Object.values(people),
      clients: [diary, asking, disabled, deleted, resourceServer, ...services, ...clientKinds.flatMap(appsOfKind)],
      email: sink.config,
    },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  await untilFhirServerIsAvailable(admin);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
  upstream.close();
});

const { idOf, entriesOf, clientRow, recordRead, atOtherNode } = receiptsOn(() => portal);

/** A person who has signed in with an app, with a receipt for its access. */
async function withReceipt(client: { clientId: string } = diary, person = people.patient) {
  const app = new SmartApp(portal, { client, scope: tokenScope });
  const tokens = await app.tokens(person);
  const path = receiptPath(await revoke(app.browser, client.clientId));
  return { browser: app.browser, tokens, path, receipt: await receiptAt(app.browser, path) };
}

describe.each(clientKinds)('The receipt of an app ($name)', (kind) => {
  it.each(inTurn(appsOfKind(kind), kind.number))(
    'says what ended, since when, the last access and what was read, and the next calls are refused ($accessTokenType)',
    async (client) => {
      const app = kind.app(portal, client, { scope: tokenScope });
      const before = Date.now() - 1000;
      const { access_token, refresh_token = '' } = await app.tokens(people.patient);
      const read = (await kind.read(app.browser, aRead, access_token)).status;
      expect(read).toBe(200);
      const { clientsPermissions } = (await app.browser.get('/api/grant')).json<GrantList & Record<string, unknown>>();
      const card = clientsPermissions.find(({ clientId }) => clientId === client.clientId);
      const receipt = await receiptAt(app.browser, receiptPath(await revoke(app.browser, client.clientId)));
      expect(receipt).toEqual({
        id: expect.stringMatching(/^(?:[B-Z2-9]{4}-){2}[B-Z2-9]{4}$/),
        clientId: client.clientId,
        clientName: client.clientName,
        legalCompanyName: null,
        contactUsUrl: null,
        endedAt: expect.any(String),
        by: 'person',
        since: card?.created,
        signIns: 1,
        accessTokens: client.accessTokenType === 'Jwt' ? null : 1,
        refreshTokens: 1,
        offline: true,
        agreements: 0,
        lastAccess: card?.lastRead,
        lastRead: { at: card?.lastRead, kinds: { Observation: 1 }, unattended: card?.lastReadUnattended },
        worksUntil: null,
        mailed: true,
      });
      expect(Date.parse(receipt.since ?? '')).toBeGreaterThanOrEqual(before);
      expect(Date.parse(receipt.lastAccess ?? '')).toBeGreaterThanOrEqual(before);
      expect(Date.parse(receipt.endedAt)).toBeGreaterThanOrEqual(Date.parse(receipt.lastAccess ?? ''));

      expect((await kind.read(app.browser, aRead, access_token)).status).toBe(401);
      const refreshed = await app.refresh(refresh_token);
      expect([refreshed.status, refreshed.json().error]).toEqual([400, 'invalid_grant']);
      for (const token of [access_token, refresh_token]) {
        const introspected = await app.browser.postForm(
          '/connect/introspect',
          { token },
          { headers: asResourceServer() },
        );
        expect(introspected.text).toBe('{"active":false}');
      }
    },
  );
});

describe('A receipt', () => {
  it('names a remembered permission and an app that never read data', async () => {
    const app = new SmartApp(portal, { client: asking, scope: tokenScope });
    const returnUrl = await app.begin();
    await app.signIn(people.patient, returnUrl);
    const consentUrl = new URL(await app.follow(returnUrl)).searchParams.get('returnUrl') ?? '';
    await app.consent(consentUrl, await app.offeredScopes(consentUrl), true);
    await app.exchange(new URL(await app.follow(consentUrl)).searchParams.get('code') ?? '');
    const receipt = await receiptAt(app.browser, receiptPath(await revoke(app.browser, asking.clientId)));
    expect(receipt).toMatchObject({ signIns: 1, agreements: 1, lastAccess: null, lastRead: null });
  });

  it('counts each sign-in with the app, and begins with the first', async () => {
    const first = new SmartApp(portal, { client: diary, scope: tokenScope });
    await first.tokens(people.otherPatient);
    await portal.query("UPDATE oidc_record SET created_at = now() - interval '3 days' WHERE client_id = 'diary'");
    const { receipt } = await withReceipt(diary, people.otherPatient);
    expect(receipt).toMatchObject({ signIns: 2, refreshTokens: 2, accessTokens: 2 });
    expect(Math.round((Date.now() - Date.parse(receipt.since ?? '')) / 86_400_000)).toBe(3);
  });

  it('is an entry in the audit record about the user', async () => {
    const { receipt } = await withReceipt();
    const { id, clientId, ...facts } = receipt;
    const patient = await idOf(people.patient);
    expect((await entriesOf('diary')).at(-1)).toEqual({
      user_id: patient,
      subject: patient,
      client_id: clientId,
      detail: { receiptId: id, ...facts },
    });
  });

  it('is the same when access is taken back again, because the first answer may have been lost', async () => {
    const { browser, path, receipt } = await withReceipt();
    const allMailed = () => until(async () => (await portal.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
    await allMailed();
    const [entries, mails] = [(await entriesOf('diary')).length, sink.received.length];
    expect(receiptPath(await revoke(browser, 'diary'))).toBe(path);
    expect(receiptPath(await revoke(atOtherNode(browser), 'diary'))).toBe(path);
    expect(await receiptAt(browser, path)).toEqual(receipt);
    expect(await entriesOf('diary')).toHaveLength(entries);
    await allMailed();
    expect(sink.received.length).toBe(mails);
  });

  it('is another one when the app had access again in the meantime', async () => {
    const [first, second] = [await withReceipt(), await withReceipt()];
    expect(second.path).not.toBe(first.path);
    expect((await first.browser.get(first.path)).status).toBe(200);
  });

  it('is issued once when two tabs take the access back at the same time', async () => {
    const app = new SmartApp(portal, { client: diary, scope: tokenScope });
    for (let round = 0; round < (isLong ? 5 : 2); round += 1) {
      await app.tokens(people.patient);
      const entries = (await entriesOf('diary')).length;
      const tabs = [app.browser, atOtherNode(app.browser), app.browser, atOtherNode(app.browser)];
      const paths = (await Promise.all(tabs.map((tab) => revoke(tab, 'diary')))).map(receiptPath);
      expect(new Set(paths).size).toBe(1);
      expect(await receiptAt(app.browser, paths[0] ?? '')).toMatchObject({ signIns: 1 });
      expect(await entriesOf('diary')).toHaveLength(entries + 1);
    }
  });

  it('does not exist for an app that never had access', async () => {
    const browser = new Agent(portal.issuer);
    await login(browser, people.practitioner);
    expect((await revoke(browser, 'diary')).status).toBe(404);
    expect((await revoke(browser, 'unknown')).status).toBe(404);
  });

  it('P-09 can be opened by its person only', async () => {
    const { path } = await withReceipt();
    const other = new Agent(portal.issuer);
    await login(other, people.otherPatient);
    for (const kind of ['', '/text', '/jwt']) {
      expect((await other.get(path + kind)).status).toBe(404);
      expect((await admin.get(path + kind)).status).toBe(403);
      expect((await new Agent(portal.issuer).get(path + kind)).status).toBe(401);
    }
  });

  it.each(['5H2P', '5H2P-9XB7-7Q4K', "'", '.%2F..', 'x'.repeat(3000)])(
    'does not exist with the number %.30s',
    async (id) => {
      const browser = new Agent(portal.issuer);
      await login(browser, people.patient);
      expect((await browser.get(`/api/receipt/${id}`)).status).toBe(404);
      expect((await browser.get(`/api/receipt/${id}/jwt`)).status).toBe(404);
    },
  );

  it('is mailed, and the text to download is the text of the mail', async () => {
    const { browser, path, receipt } = await withReceipt();
    await until(() => sink.received.some(({ raw }) => raw.includes(receipt.id)));
    const mail = sink.received.find(({ raw }) => raw.includes(receipt.id))?.mail;
    const { status, text, headers } = await browser.get(`${path}/text`);
    expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
      200,
      'text/plain; charset=utf-8',
      `attachment; filename=receipt-${receipt.id}.txt`,
    ]);
    expect(text.trim()).toBe(`${mail?.subject}\n\n${mail?.text?.trim()}`);
    const moment = (iso: string | null | undefined) => `${timeOf(iso)} UTC`;
    expect(text).toBe(
      [
        'Confirmation: an access of Heart Diary to your data at Gatehouse has ended',
        '',
        'Hello Amelia Ward,',
        '',
        'You took back the access of Heart Diary to your data at Gatehouse.',
        '',
        `Taken back: ${moment(receipt.endedAt)}`,
        `Access since: ${moment(receipt.since)}`,
        'Sessions that ended: 1',
        'Access while you are away: ended',
        'Keys to stay connected that ended: 1',
        'Keys to your data that ended: 1',
        'Last access: none was recorded',
        `Confirmation number: ${receipt.id}`,
        '',
        'Every further call of Heart Diary with this access is refused.',
        '',
        'Fernhill keeps what Heart Diary has already received. You can ask Fernhill to delete it. https://fernhill.example/',
        '',
        `${portal.issuer}/user/receipts/${receipt.id}`,
        '',
      ].join('\n'),
    );
  });
});

describe('The mail and the text of a receipt', () => {
  const linesAfter = async (act: (app: SmartApp, tokens: Tokens) => Promise<unknown>) => {
    const app = new SmartApp(portal, { client: diary, scope: tokenScope });
    await act(app, await app.tokens(people.patient));
    const path = receiptPath(await revoke(app.browser, 'diary'));
    const { id, lastRead } = await receiptAt(app.browser, path);
    const { text } = await app.browser.get(`${path}/text`);
    await until(() => sink.received.some(({ raw }) => raw.includes(id)));
    const mail = sink.received.find(({ raw }) => raw.includes(id))?.mail;
    expect(text.trim()).toBe(`${mail?.subject}\n\n${mail?.text?.trim()}`);
    return { lines: text.split('\n').filter((line) => /^Read last|not there/.test(line)), lastRead, html: mail?.html };
  };
  const at = (iso = '') => `${timeOf(iso)} UTC`;

  it('name the kinds of data that the app read last', async () => {
    const { lines, lastRead, html } = await linesAfter((app, { access_token }) =>
      app.browser.get(aRead, { headers: asBearer(access_token) }),
    );
    expect(lines).toEqual([`Read last: Test results and observations (${at(lastRead?.at)})`]);
    expect(html).toContain('<li>Read last: Test results and observations (');
  });

  it('name the kinds with the most resources first, and say that the user was not there', async () => {
    const seen = [{ 'Observation/laboratory': 2, Encounter: 5 }];
    const { lines, lastRead } = await linesAfter(() => recordRead(people.patient, { seen, unattended: true }));
    expect(lines).toEqual([`Read last: Visits, Laboratory (${at(lastRead?.at)})`, 'That was while you were not there']);
  });

  it('leave out what had no token to end', async () => {
    const app = new SmartApp(portal, { client: diary, scope: 'openid patient/Observation.rs' });
    await app.tokens(people.patient);
    const path = receiptPath(await revoke(app.browser, 'diary'));
    expect(await receiptAt(app.browser, path)).toMatchObject({ signIns: 1, accessTokens: 1, refreshTokens: 0 });
    const { text } = await app.browser.get(`${path}/text`);
    const ended = text.split('\n').filter((line) => line.includes('that ended'));
    expect(ended).toEqual(['Sessions that ended: 1', 'Keys to your data that ended: 1']);
  });

  it('say when an app read something whose kind is not known', async () => {
    const { lines, lastRead } = await linesAfter(() => recordRead(people.patient, {}));
    expect(lines).toEqual([`Read last: ${at(lastRead?.at)}`]);
  });
});

describe('An administrator who takes back the access of a user’s app', () => {
  const takeBack = async (person: { email: string }, clientId: string, by = admin) =>
    by.send(`/api/admin/user/${await idOf(person)}/app?clientId=${clientId}`, { method: 'DELETE' });

  it('ends it at once, and the user gets the receipt', async () => {
    const app = new SmartApp(portal, { client: diary, scope: tokenScope });
    const { access_token } = await app.tokens(people.otherPatient);
    await recordRead(people.otherPatient, { seen: [{ Observation: 1 }] });
    expect((await takeBack(people.otherPatient, 'diary')).status).toBe(204);
    expect((await app.browser.get(aRead, { headers: asBearer(access_token) })).status).toBe(401);
    const [entry] = (await entriesOf('diary')).slice(-1);
    expect(entry).toMatchObject({ user_id: await idOf(people.admin), subject: await idOf(people.otherPatient) });
    const path = `/api/receipt/${entry?.detail.receiptId}`;
    expect(await receiptAt(app.browser, path)).toMatchObject({
      ...{ by: 'administrator', signIns: 1 },
      lastRead: { at: expect.any(String), kinds: { Observation: 1 }, unattended: false },
    });
    expect((await app.browser.get(`${path}/text`)).text).toContain(
      'An administrator of Gatehouse took back the access',
    );
    expect((await takeBack(people.otherPatient, 'diary')).status).toBe(204);
  });

  it('must be an administrator, and the user and the app must exist', async () => {
    const browser = new Agent(portal.issuer);
    await login(browser, people.patient);
    expect((await takeBack(people.otherPatient, 'diary', browser)).status).toBe(403);
    expect((await takeBack(people.otherPatient, 'no-app')).status).toBe(404);
    expect((await takeBack(people.admin, 'diary')).status).toBe(404);
    expect((await admin.send('/api/admin/user/no-id/app?clientId=diary', { method: 'DELETE' })).status).toBe(404);
  });
});

describe('Each user whose access ends gets a receipt', () => {
  const everyone = [people.patient, people.otherPatient];
  const end: Record<string, { client: { clientId: string }; act: (id: string) => Promise<Answer> }> = {
    disabled: {
      client: disabled,
      act: async (id) => {
        const form = (await admin.get(`/api/admin/client/${id}`)).json();
        return admin.send(`/api/admin/client/${id}`, { method: 'PUT', body: { ...form, enabled: false } });
      },
    },
    deleted: { client: deleted, act: (id) => admin.send(`/api/admin/client/${id}`, { method: 'DELETE' }) },
  };

  it.each(Object.keys(end))('when a client is %s', async (name) => {
    const { client, act } = end[name] as (typeof end)[string];
    const browsers = new Map<string, Agent>();
    for (const person of everyone) {
      const app = new SmartApp(portal, { client, scope: tokenScope });
      const { access_token } = await app.tokens(person);
      if (person === people.patient) await app.browser.get(aRead, { headers: asBearer(access_token) });
      browsers.set(await idOf(person), app.browser);
    }
    expect((await act(await clientRow(client.clientId))).status).toBeLessThan(300);
    expect(await entriesOf(client.clientId)).toEqual([]);
    await endUndoTime(portal);
    await until(async () => (await entriesOf(client.clientId)).length >= everyone.length);
    const entries = await entriesOf(client.clientId);
    expect(entries.map(({ subject }) => subject).sort()).toEqual([...browsers.keys()].sort());
    const patient = await idOf(people.patient);
    for (const { user_id, subject, detail } of entries) {
      expect(user_id).toBe(await idOf(people.admin));
      const receipt = await receiptAt(browsers.get(subject) as Agent, `/api/receipt/${detail.receiptId}`);
      expect(receipt).toMatchObject({ by: 'everyone', signIns: 1, refreshTokens: 1, clientName: client.clientId });
      const at = subject === patient ? receipt.lastAccess : null;
      expect([subject, receipt.lastAccess]).toEqual([subject, subject === patient ? expect.any(String) : null]);
      expect(receipt.lastRead).toEqual(at && { at, kinds: { Observation: 1 }, unattended: false });
    }
  });

  it.each(isLong ? services : services.slice(0, 1))(
    'and no receipt is made for a service ($clientId)',
    async ({ clientId }) => {
      const kind = confidentialKinds[services.findIndex((one) => one.clientId === clientId)];
      const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
      const issued = await kind?.post(new Agent(portal.issuer), '/connect/token', { clientId }, form);
      expect(issued?.status).toBe(200);
      expect((await admin.send(`/api/admin/client/${await clientRow(clientId)}`, { method: 'DELETE' })).status).toBe(
        204,
      );
      await endUndoTime(portal);
      await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'client-endings'")).length === 0);
      expect(await portal.query("SELECT FROM job WHERE kind = 'receipts'")).toEqual([]);
      expect(await entriesOf(clientId)).toEqual([]);
    },
  );
});
