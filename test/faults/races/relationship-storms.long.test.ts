/** Twenty users who do everything at the same time, on two nodes: what is stored afterwards agrees with itself. */
import type { Server } from 'node:http';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import { useBusyMachine } from '../../support/busy-machine.js';
import type { Agent } from '../../support/http/agent.js';
import { raceTimeout } from '../../support/http/races.js';
import { relationshipsPath as path } from '../../support/representation/acting.js';
import { runs } from '../../support/runs.js';
import { type Held, passwords, Scene } from './ways/scene.js';

const { numRuns: storms } = runs(1, 30);
const stormMs = 10_000;
const users = 20;
/** Users who act for others, and patients with an account; the same user may be both. */
const [helpers, patients] = [12, 6];
const voluntary = { basis: 'voluntary', relation: 'helper' };
const parental = { basis: 'parental-responsibility', relation: 'mother' };

type Person = Awaited<ReturnType<Scene['spare']>>;
interface Row {
  id: string;
  account: string;
  patient: string;
}
interface HeldFor extends Held, Row {
  at: Date;
  isBusy: boolean;
}

let scene: Scene;
let people: Person[];
let children: string[] = [];
let held: HeldFor[] = [];
const answers = new Map<string, number>();
const failures: string[] = [];

useBusyMachine();
beforeAll(async () => {
  scene = await Scene.start();
  people = [];
  for (let number = 0; number < helpers; number += 1) people.push(await scene.spare());
  for (const server of scene.portal.servers) noteAnswers(server);
});

afterAll(() => scene.close());

function noteAnswers(server: Server): void {
  server.on('request', ({ method, url = '' }, response) =>
    response.on('finish', () => {
      const { statusCode: status } = response;
      const kind = `${method} ${url.replace(/\?.*/, '').replaceAll(/[0-9a-f-]{36}|[\w-]{43}/g, '…')} ${status}`;
      answers.set(kind, (answers.get(kind) ?? 0) + 1);
      // Who waits too long for a row is asked to repeat.
      if (status >= 500 && status !== 503) failures.push(kind);
    }),
  );
}

const pick = <Item>(all: readonly Item[]): Item => all[Math.floor(Math.random() * all.length)] as Item;
const recordOf = ({ email }: Person) => email.split('@')[0] ?? '';
const administrator = () => pick([scene.agents.admin, scene.agents.second]);
const person = (account: string) => people.find(({ id }) => id === account);
const owner = (patient: string) => people.find((one) => recordOf(one) === patient);
const one = async (...statuses: string[]) =>
  (
    await scene.query<Row & { [column: string]: unknown }>(
      `SELECT id, account_id AS account, patient FROM representation_relationship
        WHERE status = ANY ($1) AND account_id IS NOT NULL ORDER BY random() LIMIT 1`,
      [statuses],
    )
  )[0];
/** Often one that an app has tokens of. */
const target = async () => (Math.random() < 0.7 ? pick(held) : undefined) ?? (await one('active', 'suspended'));
const aPair = () => {
  const [helper, owned] = [pick(people), pick([...people.slice(0, patients).map(recordOf), ...children])];
  return { email: helper.email, patient: owned, level: 'full', ...(owner(owned) ? voluntary : parental) };
};
const both = ({ browsers }: Person) => pick(browsers) as Agent;

/** Each is done by a user of the storm; what is refused is no failure. */
const acts: (() => Promise<unknown>)[] = [
  () => administrator().post(path, aPair()),
  async () => {
    const proposed = await one('proposed');
    const decide = { decision: pick(['approve', 'approve', 'approve', 'decline']), note: 'Seen' };
    if (proposed) await administrator().post(`${path}/${proposed.id}/decision`, decide);
  },
  async () => {
    const lines = [aPair(), aPair()].map(({ email, patient, basis }) => `${email},${patient},${basis},full`);
    const csv = ['email,patient,basis,level', ...lines].join('\n');
    await administrator().post(`${path}/import`, { csv, dryRun: false });
  },
  async () => {
    const live = await target();
    const reason = pick(['administrator', 'administrator', 'safeguarding']);
    if (live) await scene.endByAdmin(live.id, reason, administrator());
  },
  async () => {
    const live = await target();
    const helper = live && person(live.account);
    if (live && helper) await scene.endBy(both(helper), live.id);
  },
  async () => {
    const live = await target();
    const patient = live && owner(live.patient);
    if (live && patient) await scene.endBy(both(patient), live.id);
  },
  async () => {
    const patient = pick(people.slice(0, patients));
    const { accept } = await scene.invited(both(patient), passwords.spare);
    const helper = pick(people);
    await Promise.all([accept(both(helper)), accept(both(pick(people)))]);
  },
  async () => {
    const live = await one('active');
    const patient = live && owner(live.patient);
    const body = { seen: 'full', level: 'basics' };
    if (live && patient) {
      await both(patient).send(`/api/representation/${live.id}/level`, { method: 'PUT', body });
    }
  },
  connect,
  connect,
  connect,
  refresh,
  refresh,
  read,
  read,
  read,
  () => scene.part(RelationshipSweeps, pick([0, 1])).sweep(new Date()),
];

async function connect(): Promise<void> {
  const live = await one('active');
  const helper = live && person(live.account);
  if (!live || !helper) return;
  const { app, tokens } = await scene.held(live.patient, pick([0, 1]), helper.browsers[0]);
  held.push({ ...live, app, tokens, at: new Date(), isBusy: false });
}

async function refresh(): Promise<void> {
  const free = pick(held.filter(({ isBusy }) => !isBusy));
  if (!free) return;
  free.isBusy = true;
  const answer = await free.app.refresh(free.tokens.refresh_token ?? '', {}, scene.node(pick([0, 1])));
  if (answer.status === 200) free.tokens = answer.json<Tokens>();
  free.isBusy = false;
}

async function read(): Promise<void> {
  const { tokens, patient } = pick(held) ?? {};
  if (tokens) await scene.read(tokens.access_token, patient ?? '', pick([0, 1]), 'Immunization');
}

async function storm(): Promise<number> {
  const end = Date.now() + stormMs;
  let done = 0;
  await Promise.all(
    Array.from({ length: users }, async () => {
      while (Date.now() < end) {
        // A flow that meets an end on its way finds another page than it expects.
        await pick(acts)().catch(() => undefined);
        done += 1;
      }
    }),
  );
  return done;
}

const states = "status IN ('active', 'suspended')";
const contradictions: [what: string, sql: string][] = [
  [
    'two live relationships of a pair',
    `SELECT account_id, patient FROM representation_relationship WHERE ${states} GROUP BY 1, 2 HAVING count(*) > 1`,
  ],
  [
    'two open proposals of a pair',
    `SELECT account_id, patient FROM representation_relationship WHERE status IN ('proposed', 'more-needed')
      GROUP BY 1, 2 HAVING count(*) > 1`,
  ],
  [
    'a live relationship of a blocked pair',
    `SELECT live.id FROM representation_relationship AS live
       JOIN representation_relationship AS ended USING (account_id, tenant, patient)
       JOIN representation_block AS block ON block.relationship_id = ended.id WHERE live.${states}`,
  ],
  [
    'a safeguarding end without a block',
    `SELECT id FROM representation_relationship WHERE reason = 'safeguarding'
      AND NOT EXISTS (SELECT FROM representation_block WHERE relationship_id = representation_relationship.id)`,
  ],
  [
    'access that is based on a relationship which is not live',
    `SELECT model FROM oidc_record WHERE payload -> 'representation' ->> 'id' IS NOT NULL AND NOT EXISTS (
       SELECT FROM representation_relationship
        WHERE ${states} AND id::text = oidc_record.payload -> 'representation' ->> 'id')`,
  ],
  [
    'a decision about an app of a relationship which is not live',
    `SELECT relationship_id FROM represented_consent WHERE NOT EXISTS (
       SELECT FROM representation_relationship WHERE ${states} AND id = relationship_id)`,
  ],
  // A code that was stored in the moment of the end is refused without its grant.
  [
    'a token without its grant',
    `SELECT model FROM oidc_record AS token WHERE model IN ('RefreshToken', 'AccessToken')
        AND NOT EXISTS (SELECT FROM oidc_record WHERE model = 'Grant' AND grant_id = token.grant_id)`,
  ],
  [
    'an end that was recorded twice, or not at all',
    `SELECT id FROM representation_relationship WHERE status = 'ended' AND 1 <> (
       SELECT count(*) FROM audit_event
        WHERE type = 'representation.ended' AND subject = representation_relationship.id::text
          AND detail ->> 'before' IS NULL)`,
  ],
  [
    'a transaction that was left open',
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'idle in transaction' AND xact_start < now() - interval '8 seconds'`,
  ],
];

/** What the newest tokens open agrees with the relationships; returns how many open something. */
async function openTokens(): Promise<number> {
  let open = 0;
  for (const { app, tokens, account, patient, at } of held) {
    const [live] = await scene.query<{ since: Date }>(
      `SELECT decided_at AS since FROM representation_relationship
        WHERE account_id = $1 AND patient = $2 AND status = 'active'`,
      [account, patient],
    );
    const reads = [0, 1].map((node) => scene.read(tokens.access_token, patient, node, 'Immunization'));
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    const refreshed = (await app.refresh(tokens.refresh_token ?? '')).status;
    const found = [...statuses, refreshed];
    if (!live) {
      for (const status of found) expect([400, 401, 403]).toContain(status);
    } else if (live.since < at) {
      expect(found).toEqual([200, 200, 200]);
      open += 1;
    }
  }
  return open;
}

it(
  'Twenty users who act at the same time on two nodes leave no contradiction',
  async () => {
    const counts = { acts: 0, tokens: 0, open: 0 };
    for (let number = 0; number < storms; number += 1) {
      await scene.query('TRUNCATE representation_relationship, representation_invitation, request CASCADE');
      await scene.query('TRUNCATE representation_block');
      await scene.query("DELETE FROM oidc_record WHERE model NOT IN ('Session', 'Interaction')");
      await scene.forgetLimits();
      await scene.keepSignedIn();
      children = [scene.child(), scene.child(), scene.child(), scene.child()];
      held = [];
      counts.acts += await storm();
      for (const [what, sql] of contradictions)
        expect([number, what, await scene.query(sql)]).toEqual([number, what, []]);
      expect(failures).toEqual([]);
      counts.tokens += held.length;
      counts.open += await openTokens();
    }
    expect(counts.open).toBeGreaterThan(0);
    expect(counts.tokens).toBeGreaterThan(counts.open);
    const most = [...answers].toSorted(([, one], [, other]) => other - one).slice(0, 60);
    process.stderr.write(
      `${storms} storms, ${JSON.stringify(counts)}\n${most.map((each) => each.join(': ')).join('\n')}\n`,
    );
  },
  raceTimeout,
);
