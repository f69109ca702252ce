/** With `account.deletionDays` users may keep an account whose deletion they have requested. */
import pg from 'pg';
import { DeletionRequests } from '../../src/users/application/deletion/deletion-requests.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, mailAbout } from '../support/mail-sink.js';
import { startPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';
import { login } from '../support/users/authenticator.js';
import {
  confirmAtProvider,
  type Owner,
  type OwnerKind,
  ownerKinds,
  proofOf,
  signInAgain,
  signInOwner,
} from '../support/users/owners.js';
import { type OwnersPortal, startOwnersPortal } from '../support/users/owners-portal.js';
import { people } from '../support/users/people.js';

const { patient, otherPatient } = people;
const requestedMail = 'Your account at Gatehouse will be deleted';
let owners: OwnersPortal;
let portal: OwnersPortal['portal'];
let provider: OwnersPortal['provider'];
let sink: OwnersPortal['sink'];

beforeAll(async () => {
  owners = await startOwnersPortal({ deletionDays: 7 });
  ({ portal, provider, sink } = owners);
});

afterAll(() => owners.close());

beforeEach(() => portal.query('DELETE FROM rate_limit'));

const linkOf = (page: string) => {
  const query = new URL(page, portal.issuer).searchParams;
  return { userId: query.get('u') ?? '', token: query.get('t') ?? '' };
};
const check = ({ userId, token }: { userId: string; token: string }) =>
  new Agent(portal.issuer).post(`/api/user/${userId}/deletion`, { token });
const keep = ({ userId, token }: { userId: string; token: string }, node = 0) =>
  new Agent(portal.issuer, portal.ports[node]).post(`/api/user/${userId}/deletion/withdraw`, { token });
const waitingOf = (id: string) =>
  portal.query<{ due_at: Date }>('SELECT due_at FROM account_deletion WHERE account_id = $1', [id]);
const typesAbout = async (id: string) =>
  (
    await portal.query<{ type: string }>(
      "SELECT type FROM audit_event WHERE subject = $1 AND type LIKE 'account.%' ORDER BY id",
      [id],
    )
  ).map(({ type }) => type);
const nodes = () => portal.apps.map((app) => app.get(DeletionRequests, { strict: false }));
const letDaysPass = (id: string) =>
  portal.query("UPDATE account_deletion SET due_at = now() - interval '1 minute' WHERE account_id = $1", [id]);

/** Requests the deletion; returns the address in the mail. */
async function request(owner: Owner): Promise<{ mailed: string; deletedOn: string }> {
  if (!owner.person) await confirmAtProvider(provider, owner);
  const before = sink.received.filter(
    ({ to, mail }) => to.includes(owner.email) && mail.subject === requestedMail,
  ).length;
  const answer = await owner.agent.post('/api/user/deletion', await proofOf(portal, owner));
  expect(answer.status).toBe(200);
  const received = await mailAbout(sink, owner.email, requestedMail, before + 1);
  return { mailed: linkInMail(received).url, deletedOn: answer.json<{ deletedOn: string }>().deletedOn };
}

/** The owner in a new session. */
async function backAgain(owner: Owner): Promise<Owner> {
  const { agent, keepPage } = await signInAgain(portal, provider, owner);
  expect([keepPage, (await agent.get('/api/session')).status]).toEqual([undefined, 200]);
  return { ...owner, agent };
}

describe.each(ownerKinds)('The account of $kind', (kind) => {
  it('is locked by the request, can be kept by mail and after a sign-in, and is deleted after the days', async () => {
    const owner = await signInOwner(portal, provider, kind);
    const { id, agent, email } = owner;
    const { mailed, deletedOn } = await request(owner);
    const days = (Date.parse(deletedOn) - Date.now()) / 86_400_000;
    expect([days > 6.9, days <= 7]).toEqual([true, true]);
    expect((await agent.get('/api/session')).status).toBe(401);
    expect(await portal.query('SELECT FROM oidc_record WHERE account_id = $1', [id])).toEqual([]);

    const locked = await signInAgain(portal, provider, owner);
    expect((await locked.agent.get('/api/session')).status).toBe(401);
    expect((await check(linkOf(locked.keepPage ?? ''))).json()).toEqual({ deletedOn });
    expect((await keep(linkOf(mailed))).status).toBe(204);
    expect(await waitingOf(id)).toEqual([]);

    const kept = await backAgain(owner);
    await request(kept);
    const offered = (await signInAgain(portal, provider, owner)).keepPage ?? '';
    expect((await keep(linkOf(offered))).status).toBe(204);

    await request(await backAgain(owner));
    for (const node of nodes()) await node.deleteDue();
    expect(await owners.isStored(id)).toBe(true);
    await letDaysPass(id);
    await Promise.all(nodes().map((node) => node.deleteDue()));
    expect(await owners.isStored(id)).toBe(false);
    await mailAbout(sink, email, 'Your account at Gatehouse was deleted');
    expect(await typesAbout(id)).toEqual([
      'account.deletion-requested',
      'account.kept',
      'account.deletion-requested',
      'account.kept',
      'account.deletion-requested',
      'account.deleted',
    ]);
  });
});

describe('A link that keeps an account', () => {
  const own = (person: typeof patient): OwnerKind => ({
    kind: 'a patient',
    person: person as OwnerKind['person'],
    subject: '',
    email: person.email,
    fullName: person.fullName,
    area: '/user',
    hasTwoFactor: false,
    hasPasskeyAlone: false,
  });
  const ended = 'This link is not valid any more. As long as your account exists, you can also keep it by signing in.';

  it('succeeds again after a lost answer, and is recorded once', async () => {
    const owner = await signInOwner(portal, provider, own(patient));
    const link = linkOf((await request(owner)).mailed);
    const answers = await Promise.all([keep(link), keep(link, 1), keep(link)]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect((await keep(link)).status).toBe(204);
    expect((await check(link)).json()).toEqual({ deletedOn: null });
    expect((await typesAbout(owner.id)).filter((type) => type === 'account.kept')).toHaveLength(1);
  });

  it('does not end a later request, and one of another account or with a changed token ends none', async () => {
    const owner = await signInOwner(portal, provider, own(otherPatient));
    const earlier = linkOf((await request(owner)).mailed);
    expect((await keep(earlier)).status).toBe(204);
    const link = linkOf((await request(await backAgain(owner))).mailed);
    const { userId, token } = link;
    const [other] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [patient.email]);
    const wrong = [
      earlier,
      { userId: other?.id ?? '', token },
      { userId, token: `${token}x` },
      { userId, token: token.replace('.', '0.') },
      { userId, token: 'zzzzzzzzzzzzzzzzzzzzzzz' },
      { userId: 'x', token },
      { userId, token: '' },
    ];
    for (const one of wrong) {
      const answer = await keep({ ...one, userId: encodeURIComponent(one.userId) });
      expect([one, answer.status, answer.json().message]).toEqual([one, 400, ended]);
    }
    expect(await waitingOf(userId)).toHaveLength(1);
    await letDaysPass(userId);
    await Promise.all([...nodes().map((node) => node.deleteDue()), keep(link)]);
    const isKept = await owners.isStored(userId);
    expect([isKept, (await typesAbout(userId)).at(-1)]).toEqual([isKept, isKept ? 'account.kept' : 'account.deleted']);
    expect((await keep(link)).status).toBe(isKept ? 204 : 400);
  });
});

it('An account that is kept while a node is about to delete it stays', async () => {
  const kind = { ...(ownerKinds[0] as OwnerKind), person: patient, email: patient.email };
  const owner = await signInOwner(portal, provider, kind);
  const { mailed } = await request(owner);
  await letDaysPass(owner.id);
  const lock = new pg.Client(portal.connection);
  await lock.connect();
  await lock.query('BEGIN');
  await lock.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [owner.id]);
  const deleting = Promise.all(nodes().map((node) => node.deleteDue()));
  const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await until(async () => (await portal.query(waiting)).length === portal.apps.length);
  expect((await keep(linkOf(mailed))).status).toBe(204);
  await lock.end();
  await deleting;
  expect([await owners.isStored(owner.id), (await typesAbout(owner.id)).at(-1)]).toEqual([true, 'account.kept']);
});

it("An app's request continues after its user has kept the account and signed in", async () => {
  const owner = await signInOwner(portal, provider, {
    ...(ownerKinds[0] as OwnerKind),
    person: patient,
    email: patient.email,
  });
  const { mailed } = await request(owner);
  const app = new SmartApp(portal);
  const returnUrl = await app.begin();
  const refused = (await app.signIn(patient, returnUrl)).json<{ keepPage: string }>();
  expect((await app.browser.get('/api/session')).status).toBe(401);
  expect(linkOf(refused.keepPage)).toEqual(linkOf(mailed));
  expect((await keep(linkOf(refused.keepPage))).status).toBe(204);
  await app.signIn(patient, returnUrl);
  expect(new URL(await app.follow(returnUrl)).pathname).toBe('/user/consent');
});

// The tests below start portals of their own, to which passport's strategies then belong.

it('A node that dies in the midst of a deletion has done nothing, and another node deletes the account', async () => {
  const kind = ownerKinds[0] as OwnerKind;
  const gone = { ...people.practitioner, email: 'gone@example.org' };
  const own = await startPortal({ nodes: 2, config: { account: { deletionDays: 7 }, users: [gone] } });
  const { id, agent } = await signInOwner(own, provider, { ...kind, person: gone });
  await agent.post('/api/user/deletion', { currentPassword: gone.password });
  await own.query("UPDATE account_deletion SET due_at = now() - interval '1 minute'");
  const [first, second] = own.apps.map((app) => app.get(DeletionRequests, { strict: false }));
  const lock = new pg.Client(own.connection);
  await lock.connect();
  // The event is the last statement before COMMIT.
  await lock.query('BEGIN; LOCK TABLE audit_event IN SHARE MODE');
  const deleting = first?.deleteDue();
  const waiting = "FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
  await until(async () => (await own.query(`SELECT ${waiting}`)).length > 0);
  await own.query(`SELECT pg_terminate_backend(pid) ${waiting}`);
  await deleting;
  await lock.end();
  expect(await own.query('SELECT FROM account WHERE id = $1', [id])).toHaveLength(1);
  expect(await own.query('SELECT FROM account_deletion WHERE account_id = $1', [id])).toHaveLength(1);
  await second?.deleteDue();
  expect(await own.query('SELECT FROM account WHERE id = $1', [id])).toEqual([]);
  expect(await own.query("SELECT FROM audit_event WHERE subject = $1 AND type = 'account.deleted'", [id])).toHaveLength(
    1,
  );
  await own.close();
});

it('Of two administrators who request the deletion at once, one stays', async () => {
  const second = { ...people.admin, email: 'second.admin@example.org' };
  const own = await startPortal({ nodes: 2, config: { account: { deletionDays: 7 }, users: [people.admin, second] } });
  const agents = await Promise.all(
    [people.admin, second].map(async (person, node) => {
      const agent = new Agent(own.issuer, own.ports[node]);
      await login(agent, person);
      return agent;
    }),
  );
  const answers = await Promise.all(
    agents.map((agent) => agent.post('/api/user/deletion', { currentPassword: people.admin.password })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await own.query('SELECT FROM account_deletion')).toHaveLength(1);
  await own.close();
});
