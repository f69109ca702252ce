import { Readiness } from '../../src/readiness/application/readiness.js';
import { TestMails } from '../../src/readiness/application/test-mails.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const path = '/api/admin/readiness';
const second = { ...people.admin, email: 'second.admin@example.org', fullName: 'Sam Second' };
let sink: MailSink;
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  sink = await startMailSink();
  portal = await startPortal({
    nodes: 2,
    config: { users: [people.admin, second, people.patient, people.practitioner], email: sink.config },
  });
  admin = await signedIn(people.admin);
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
});

async function signedIn(person: { email: string; password: string }, node = 0): Promise<Agent> {
  const agent = new Agent(portal.issuer, portal.ports[node]);
  expect((await login(agent, person)).status).toBe(200);
  return agent;
}

const testMailOf = async (agent: Agent) => {
  const { sections } = (await agent.get(path)).json<Awaited<ReturnType<Readiness['report']>>>();
  const check = sections.flatMap(({ checks }) => checks).find(({ code }) => code === 'mail-test');
  return [check?.state, check?.finding.code];
};
const tokenIn = (url: string) => new URL(url).searchParams.get('mail') ?? '';
const confirm = (agent: Agent, token: unknown) => agent.post(`${path}/test-mail/confirm`, { token });

describe('The API of the readiness report', () => {
  it.each<[string, 'GET' | 'POST', string]>([
    ['the report', 'GET', path],
    ['sending a test mail', 'POST', `${path}/test-mail`],
    ['confirming a test mail', 'POST', `${path}/test-mail/confirm`],
  ])('refuses %s to every caller but administrators', async (_what, method, address) => {
    const body = method === 'POST' ? { body: { token: 'x' } } : {};
    expect((await new Agent(portal.issuer).send(address, { method, ...body })).status).toBe(401);
    for (const person of [people.patient, people.practitioner]) {
      expect((await (await signedIn(person)).send(address, { method, ...body })).status).toBe(403);
    }
    expect(sink.received).toEqual([]);
  });

  it('returns the report of this moment with the name of the administrator, and no secret', async () => {
    const answer = await admin.get(path);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    const report = answer.json<Awaited<ReturnType<Readiness['report']>>>();
    expect(report.checkedBy).toBe(people.admin.fullName);
    expect(Math.abs(Date.parse(report.checkedAt) - Date.now())).toBeLessThan(60_000);
    const groups = report.sections.map(({ group }) => group);
    expect(groups).toEqual(['people', 'fhir', 'mail', 'clients', 'network', 'database', 'audit']);
    expect(answer.text).not.toContain(people.admin.password);
  });

  it('sends a test mail to the caller only, whose link confirms it on any node, also a second time', async () => {
    expect(await testMailOf(admin)).toEqual(['improve', 'readiness-mail-test-none']);
    expect((await admin.post(`${path}/test-mail`, {})).status).toBe(204);
    const { url } = linkInMail(await sink.to(people.admin.email));
    expect(url.startsWith(`${portal.issuer}/admin/readiness?mail=`)).toBe(true);
    expect(sink.received.map(({ to }) => to)).toEqual([[people.admin.email]]);
    const other = await signedIn(second, 1);
    expect(await testMailOf(other)).toEqual(['improve', 'readiness-mail-test-unconfirmed']);
    for (const agent of [other, admin]) expect((await confirm(agent, tokenIn(url))).status).toBe(204);
    expect(await testMailOf(admin)).toEqual(['pass', 'readiness-mail-test-pass']);
    const [stored] = await portal.query<{ row: string }>('SELECT readiness_note::text AS row FROM readiness_note');
    expect(stored?.row).not.toContain(tokenIn(url));
  });

  it('refuses the link of an earlier test mail, and a text that is no link', async () => {
    const before = sink.received.length;
    for (const agent of [admin, await signedIn(second)]) await agent.post(`${path}/test-mail`, {});
    const { url } = linkInMail(await sink.to(people.admin.email, before + 1));
    await sink.to(second.email);
    const refused = await confirm(admin, tokenIn(url));
    expect([refused.status, refused.json().message]).toEqual([
      400,
      'This link is not that of the latest test mail. Please send another one.',
    ]);
    for (const token of ['', 'x', '\u0000', 7, null, 'x'.repeat(101)]) {
      expect([token, (await confirm(admin, token)).status]).toEqual([token, 400]);
    }
    expect(await testMailOf(admin)).toEqual(['improve', 'readiness-mail-test-unconfirmed']);
  });

  it('says that a test mail waits while the mail server refuses it', async () => {
    sink.behaviour = 451;
    await admin.post(`${path}/test-mail`, {});
    expect(await testMailOf(admin)).toEqual(['improve', 'readiness-mail-test-waiting']);
    sink.behaviour = 'accept';
  });

  it('limits the test mails of an administrator', async () => {
    const other = await signedIn(second);
    const statuses = [];
    for (let count = 0; count < 11; count += 1) statuses.push((await other.post(`${path}/test-mail`, {})).status);
    expect([statuses.filter((status) => status === 204).length, statuses.at(-1)]).toEqual([9, 429]);
  });

  it('refuses a test mail without a mail server, or to a caller without an address', async () => {
    const { email } = portal.config;
    Object.assign(portal.config, { email: {} });
    const without = await admin.post(`${path}/test-mail`, {});
    expect([without.status, without.json().message]).toEqual([
      409,
      'There is no mail server to send a test mail with (email.smtp).',
    ]);
    Object.assign(portal.config, { email });
    const testMails = portal.apps[0]?.get(TestMails, { strict: false }) as TestMails;
    await expect(testMails.send('client some-service')).rejects.toMatchObject({
      kind: 'conflict',
      message: 'Your account has no e-mail address that a test mail could be sent to.',
    });
  });

  it('answers also when the report cannot tell who asked', async () => {
    const readiness = portal.apps[0]?.get(Readiness, { strict: false }) as Readiness;
    for (const id of ['client some-service', '00000000-0000-4000-8000-000000000000']) {
      expect((await readiness.report(id)).checkedBy).toBeNull();
    }
  });
});
