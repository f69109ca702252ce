import type { InvitationWithCode } from '../../src/contract/invitations.js';
import { Notifications } from '../../src/platform/database/notifications.js';
import { RelationshipSweeps } from '../../src/representation/application/upkeep/relationship-sweeps.js';
import { type NewRelationship, Relationships } from '../../src/representation/domain/relationships.js';
import { RequestFileStore } from '../../src/requests/application/request-file-store.js';
import { type Attempt, ConnectionCuts } from '../support/database/connection-cuts.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { linkInMail } from '../support/mail-sink.js';
import {
  actingIn,
  jwtApp,
  opaqueApp,
  relationshipsPath as path,
  withSecret,
} from '../support/representation/acting.js';
import { aPdf, ask, decide, type RequestPortal, startRequestPortal } from '../support/representation/asked.js';
import { family } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';
import { until } from '../support/until.js';

const cuts = new ConnectionCuts();
let portal: RequestPortal;
let anaId: string;
let round = 0;

beforeAll(async () => {
  portal = await startRequestPortal({
    // The second node lives on.
    reachDatabase: async (database) => [await cuts.reach(database), database],
    config: { clients: [jwtApp, opaqueApp] },
  });
  anaId = await portal.accountId(family.ana);
});

afterAll(async () => {
  await portal.close();
  await cuts.close();
});

const acting = actingIn(() => portal);
const areListening = () => portal.apps.every((node) => node.get(Notifications, { strict: false }).isListening);
const part = <Part>(token: abstract new (...all: never[]) => Part, node = 0) =>
  portal.apps[node]?.get(token as never, { strict: false }) as Part;
const child = () => {
  round += 1;
  portal.has(`young-${round}`);
  return `young-${round}`;
};
const acts = async (members: Partial<NewRelationship> = {}) => {
  const patient = members.patient ?? child();
  return { patient, id: (await part(Relationships, 1).add(aNewRelationship(anaId, { ...members, patient }))).id };
};
const count = async (sql: string, ...parameters: unknown[]) => (await portal.query(sql, parameters)).length;
const events = (type: string, subject: string) =>
  count('SELECT FROM audit_event WHERE type = $1 AND subject = $2', type, subject);
const stored = async (id: string) => {
  const { status, reason } = (await part(Relationships, 1).findById(id)) ?? {};
  return { status, reason };
};
const forget = async () => {
  await portal.query("UPDATE representation_relationship SET status = 'ended' WHERE status <> 'ended'");
  await portal.query("UPDATE representation_invitation SET status = 'cancelled', code = NULL WHERE status = 'open'");
  await portal.query("DELETE FROM oidc_record WHERE model NOT IN ('Session', 'Interaction')");
  await portal.query('DELETE FROM rate_limit');
  await portal.query('DELETE FROM representation_block');
};
/** The same user at either node. */
const at = (agent: Agent, node: number) => {
  const other = new Agent(portal.issuer, portal.ports[node]);
  for (const [name, value] of agent.cookies) other.cookies.set(name, value);
  return other;
};
/** Work of a node that has no caller, as a request that can be repeated. */
const asAnswer = async (work: Promise<unknown>): Promise<Answer> => {
  const status = await work.then(
    () => 200,
    () => 503,
  );
  return { status, headers: { 'retry-after': '1' }, text: '', json: () => ({}) as never, location: undefined };
};

interface Act {
  name: string;
  prepare(): Promise<Attempt>;
  /** Fewest statements at which it is cut. */
  least: number;
}

async function endWith(reason: string): Promise<Attempt> {
  await forget();
  const { id, patient } = await acts();
  const { tokens, app } = await acting.tokensFor(patient, withSecret);
  return {
    send: (node) => at(portal.agents.admin, node).post(`${path}/${id}/end`, { reason, note: 'Over' }),
    async check(first, again) {
      expect([200, 409]).toContain(again.status);
      if (first.status === 200) expect(again.status).toBe(409);
      expect(await stored(id)).toEqual({ status: 'ended', reason });
      expect(await events('representation.ended', id)).toBe(1);
      expect((await app.refresh(tokens.refresh_token ?? '', {}, at(portal.agents.admin, 1))).status).toBe(400);
      expect(await count("SELECT FROM oidc_record WHERE payload -> 'representation' ->> 'id' = $1", id)).toBe(0);
      const blocks = await count('SELECT FROM representation_block WHERE relationship_id = $1', id);
      expect(blocks > 0).toBe(reason === 'safeguarding');
    },
  };
}

const everyAct: Act[] = [
  {
    name: 'an acceptance by a new account',
    least: 10,
    async prepare() {
      await forget();
      round += 1;
      const email = `guest-${round}@example.org`;
      const form = { fullName: 'Tomás Reed', email, level: 'basics' };
      const sent = await portal.agents.noah.post('/api/representation/invitations', form);
      const { id, spokenCode } = sent.json<InvitationWithCode>();
      const { t: token } = linkInMail(await portal.sink.to(email));
      const body = { token, spokenCode, isAdult: true, account: 'new' };
      return {
        send: (node) => new Agent(portal.issuer, portal.ports[node]).post(`/api/invitations/${id}/acceptance`, body),
        async check(first, again) {
          if (first.status === 200) expect(again.status).toBe(409);
          expect([200, 409]).toContain(again.status);
          const accounts = await count('SELECT FROM account WHERE email = $1', email);
          const active = await count(
            `SELECT FROM representation_relationship JOIN account ON account.id = account_id
              WHERE email = $1 AND status = 'active'`,
            email,
          );
          const links = await count(
            'SELECT FROM account_link JOIN account ON account.id = account_id WHERE email = $1',
            email,
          );
          expect([accounts, active, links]).toEqual([1, 1, 1]);
          expect(await events('representation.invitation-ended', id)).toBe(1);
        },
      };
    },
  },
  { name: 'an end with the access of an app', least: 10, prepare: () => endWith('administrator') },
  { name: 'a safeguarding end', least: 10, prepare: () => endWith('safeguarding') },
  {
    name: 'the import of a file',
    least: 15,
    async prepare() {
      await forget();
      const patients = [child(), child()];
      const lines = patients.map((patient) => `${family.ana.email},${patient},parental-responsibility,full`);
      const csv = ['email,patient,basis,level', ...lines].join('\n');
      return {
        send: (node) => at(portal.agents.admin, node).post(`${path}/import`, { csv, dryRun: false }),
        async check(_, again) {
          expect(again.status).toBe(200);
          const rows = await portal.query<{ status: string }>(
            'SELECT status FROM representation_relationship WHERE patient = ANY ($1)',
            [patients],
          );
          expect(rows).toEqual([{ status: 'active' }, { status: 'active' }]);
        },
      };
    },
  },
  {
    name: 'the look at a relationship whose patient has died',
    least: 3,
    async prepare() {
      await forget();
      const { id, patient } = await acts();
      portal.has(patient, { deceasedBoolean: true });
      return {
        send: (node) =>
          asAnswer(
            (async () => {
              await portal.query('UPDATE representation_relationship SET due_at = NULL WHERE id = $1', [id]);
              await part(RelationshipSweeps, node).sweep(new Date());
            })(),
          ),
        async check() {
          await until(async () => (await stored(id)).status === 'suspended');
          expect(await stored(id)).toEqual({ status: 'suspended', reason: 'deceased' });
          expect(await events('representation.changed', id)).toBe(1);
        },
      };
    },
  },
  {
    name: 'the removal of old files',
    least: 4,
    async prepare() {
      await portal.forget();
      const number = portal.aChild();
      const { id } = await ask(portal.agents.ana, number, {}, [aPdf()]);
      expect((await decide(portal.agents.second, id, { decision: 'decline' })).status).toBe(200);
      await portal.query("UPDATE request SET decided_at = now() - interval '8 days' WHERE id = $1", [id]);
      return {
        send: (node) => asAnswer(part(RequestFileStore, node).purge()),
        async check() {
          expect(await count('SELECT FROM request_file WHERE request_id = $1 AND content IS NULL', id)).toBe(1);
          expect(await events('request.files-removed', id)).toBe(1);
        },
      };
    },
  },
];

const moments = ['before', 'after'] as const;

describe.each(moments)('When a node is killed %s a statement', (moment) => {
  it.each(everyAct.map((act, number) => ({ ...act, number })))(
    'nothing is half of $name, and it can be repeated',
    async ({ prepare, least, number }) => {
      const turn = { number: moment === 'before' ? number : number + 5, turns: 9 };
      const { statements } = await cuts.atEachStatement(moment, areListening, prepare, turn);
      expect(statements).toBeGreaterThanOrEqual(least);
    },
    300_000,
  );
});
