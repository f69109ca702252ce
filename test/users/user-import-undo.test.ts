/** The stop and the undo of an import of users. */
import { randomUUID } from 'node:crypto';
import type { ImportProgress } from '../../src/contract/users/user-import.js';
import { UserImporting } from '../../src/users/application/import/user-importing.js';
import { Agent } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { type AdminPortal, startAdminPortal } from '../support/portal/admin-portal.js';
import { until } from '../support/until.js';

const path = '/api/admin/user/import';
const password = 'granite-violin-5512';
let mails: MailSink;
let portal: AdminPortal;

beforeAll(async () => {
  mails = await startMailSink();
  portal = await startAdminPortal({ fhirServer: false, nodes: 2, config: { email: mails.config } });
});
afterAll(async () => {
  await portal.close();
  await mails.stop();
});

/** A file of so many users of this domain. */
const file = (domain: string, users: number) =>
  [
    'name,email,type,fhir_user',
    ...Array.from({ length: users }, (_, at) => `User ${at},u${at}@${domain},Patient,Patient/${at}`),
  ].join('\n');

const accounts = (domain: string) =>
  portal.query<{ id: string; email: string }>('SELECT id, email FROM account WHERE email LIKE $1 ORDER BY created_at', [
    `%@${domain}`,
  ]);
const progressOf = async (id: string) => (await portal.api.get(`${path}/${id}`).expect(200)).body as ImportProgress;
const post = async (call: string) => (await portal.api.post(`${path}/${call}`).expect(200)).body as ImportProgress;
/** The transactions that wait for another one, as a stop waits for the batch. */
const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
const isOver = ({ isUndone, removable }: ImportProgress) => isUndone && removable === 0;

/** Imports the file, and returns the id of the import. */
async function imported(domain: string, users: number): Promise<string> {
  const id = randomUUID();
  await portal.api
    .put(`${path}/${id}`)
    .send({ csv: file(domain, users) })
    .expect(200);
  await until(async () => {
    const { done, total } = await progressOf(id);
    return done === total;
  });
  return id;
}

/** An import that is held within its second batch until `release` is called. */
async function held(domain: string, users: number): Promise<{ id: string; release: () => void; restore: () => void }> {
  let release = () => {};
  const waiting = new Promise<void>((resolve) => {
    release = resolve;
  });
  let calls = 0;
  const restores = portal.apps.map((app) => {
    const jobs = app.get(UserImporting, { strict: false }) as unknown as {
      invitations: { inviteUser: (form: object) => Promise<unknown> };
    };
    const { invitations } = jobs;
    const { inviteUser } = invitations;
    invitations.inviteUser = async (form) => {
      calls += 1;
      if (calls === 25) await waiting;
      return inviteUser.call(invitations, form);
    };
    return () => {
      invitations.inviteUser = inviteUser;
    };
  });
  const id = randomUUID();
  await portal.api
    .put(`${path}/${id}`)
    .send({ csv: file(domain, users) })
    .expect(200);
  await until(() => calls >= 25);
  return {
    id,
    release,
    restore: () => {
      for (const restore of restores) restore();
    },
  };
}

describe('An import that is stopped', () => {
  it('ends after its present batch, keeps what was created, and leaves the rest undone', async () => {
    const { id, release, restore } = await held('stop.example', 100);
    // The next batch can begin before the stop gets the lock that it waits for.
    let created = 0;
    try {
      const stopping = Promise.all([post(`${id}/stop`), post(`${id}/stop`)]);
      await until(async () => (await portal.query(waiting)).length === 2);
      release();
      const [answer] = await stopping;
      created = Number(answer?.created);
      expect([40, 60]).toContain(created);
      const left = { created, stopped: 100 - created, removable: created };
      expect(answer).toMatchObject({ total: 100, done: 100, ...left, isUndone: false });
    } finally {
      restore();
    }
    await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'user-imports'")).length === 0);
    expect(await accounts('stop.example')).toHaveLength(created);
    expect(await portal.query('SELECT FROM user_import_line WHERE form IS NOT NULL')).toEqual([]);
    const events = await portal.query<{ detail: object }>(
      "SELECT detail FROM audit_event WHERE type = 'users.import-stopped'",
    );
    expect(events.map(({ detail }) => detail)).toEqual([{ import: id, left: 100 - created }]);
    // The same file continues where it was stopped.
    const next = await imported('stop.example', 100);
    const rest = 100 - created;
    expect(await progressOf(next)).toMatchObject({ total: rest, created: rest, removable: rest });
  });

  it('that is finished stays as it is', async () => {
    const id = await imported('over.example', 2);
    expect(await post(`${id}/stop`)).toMatchObject({ created: 2, stopped: 0 });
    expect(await accounts('over.example')).toHaveLength(2);
  });
});

describe('The undo of an import', () => {
  it('removes the users that it has created, but none who has used the invitation or was changed since', async () => {
    const id = await imported('undo.example', 45);
    const [used, changed] = await accounts('undo.example');
    const link = /u=([\w-]+)&t=([\w-]+)/.exec((await mails.to(used?.email ?? '')).mail.text ?? '');
    const [, user, token] = link ?? [];
    const activation = await new Agent(portal.issuer).post(`/api/user/${user}/activate`, { password, token });
    expect(activation.status).toBeLessThan(300);
    const { body } = await portal.api.get(`/api/admin/user/${changed?.id}`).expect(200);
    const { claims, userType } = body;
    await portal.api.put(`/api/admin/user/${changed?.id}`).send({ claims, userType, fullName: 'Renamed' }).expect(200);
    // A call that is repeated, also on another node, begins nothing.
    await Promise.all([post(`${id}/undo`), post(`${id}/undo`), post(`${id}/undo`)]);
    await until(async () => isOver(await progressOf(id)));
    expect(await progressOf(id)).toMatchObject({
      ...{ total: 45, done: 45, created: 45, removed: 43, stayed: 2, removable: 0, isUndone: true },
      kept: [
        { id: used?.id, fullName: 'User 0', reason: 'used' },
        { id: changed?.id, fullName: 'Renamed', reason: 'changed' },
      ],
    });
    expect((await accounts('undo.example')).map(({ id }) => id).sort()).toEqual([used?.id, changed?.id].sort());
    const [admin] = await portal.query<{ id: string }>("SELECT id FROM account WHERE user_type = 'Admin'");
    const events = await portal.query<{ type: string; user_id: string; count: string }>(
      "SELECT type, user_id, count(*) FROM audit_event WHERE type IN ('users.import-undone', 'user.deleted') GROUP BY 1, 2 ORDER BY 1",
    );
    expect(events).toEqual([
      { type: 'user.deleted', user_id: admin?.id, count: '43' },
      { type: 'users.import-undone', user_id: admin?.id, count: '1' },
    ]);
  });

  it('stops an import that is under way', async () => {
    const { id, release, restore } = await held('both.example', 100);
    try {
      const undoing = post(`${id}/undo`);
      release();
      await undoing;
    } finally {
      restore();
    }
    await until(async () => isOver(await progressOf(id)));
    const { created, stopped, removed, stayed } = await progressOf(id);
    // The import ends after the 20 users at hand, which may be the next ones when the undo arrives.
    expect([40, 60]).toContain(created);
    expect({ stopped, removed, stayed }).toEqual({ stopped: 100 - created, removed: created, stayed: 0 });
    expect(await accounts('both.example')).toEqual([]);
  });

  it('also takes back invitations that are not sent yet, and needs no user who was deleted meanwhile', async () => {
    mails.behaviour = 451;
    try {
      const id = await imported('unsent.example', 3);
      const [deleted] = await accounts('unsent.example');
      await portal.api.delete(`/api/admin/user/${deleted?.id}`).expect(204);
      await post(`${id}/undo`);
      await until(async () => isOver(await progressOf(id)));
      expect(await progressOf(id)).toMatchObject({ created: 3, removed: 2, stayed: 0 });
    } finally {
      mails.behaviour = 'accept';
    }
    expect(await accounts('unsent.example')).toEqual([]);
    expect(await portal.query("SELECT FROM job WHERE kind = 'mail'")).toEqual([]);
  });
});

describe('Stop and undo', () => {
  it.each(['stop', 'undo'])('%s: an unknown import is not found, nor that of another administrator', async (call) => {
    await portal.api.post(`${path}/1/${call}`).expect(404);
    await portal.api.post(`${path}/${randomUUID()}/${call}`).expect(404);
    const id = await imported(`${call}-other.example`, 1);
    await portal.query("UPDATE user_import SET actor = 'another' WHERE id = $1", [id]);
    await portal.api.post(`${path}/${id}/${call}`).expect(404);
    expect(await accounts(`${call}-other.example`)).toHaveLength(1);
  });
});
