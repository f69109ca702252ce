/** A birthday in the middle of what apps and users do, on two nodes of which one has a clock that is ahead. */

import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { shippedBases } from '../../../src/platform/config/representation-defaults.js';
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import { dayIn } from '../../../src/representation/domain/ages.js';
import { startOf } from '../../../src/representation/domain/coming-steps.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import { useBusyMachine } from '../../support/busy-machine.js';
import { setNodeAhead, setProcessAhead, withMovableClock } from '../../support/database/movable-clock.js';
import type { Answer } from '../../support/http/agent.js';
import { raceTimeout } from '../../support/http/races.js';
import { birthdayAfter, bornFor } from '../../support/representation/birthdays.js';
import { runs } from '../../support/runs.js';
import { until } from '../../support/until.js';
import { Scene } from './ways/scene.js';

const zone = 'Europe/Amsterdam';
const birthday = birthdayAfter(dayIn(new Date(), zone), 3);
const midnight = startOf(birthday, zone).getTime();
const born = (age: number) => ({ birthDate: bornFor(age, birthday) });
/** By which the clock of the second node may be ahead; the acts begin as long before the birthday, and more. */
const { numRuns: mostAhead } = runs(200, 2_000);
const { numRuns: rounds } = runs(1, 100);
const marginMs = 100;
const minute = 60_000;
const aheadOfDatabase = 'UPDATE clock.ahead SET by = make_interval(secs => $1::float8 / 1000)';
/** A helper of an adult is possible until this age. */
const lastAge = 80;
const voluntary = { ...shippedBases.voluntary, ages: [{ from: 16 }, { from: lastAge, level: 'not-possible' }] };

let scene: Scene;
let ahead = 0;

useBusyMachine();
beforeAll(async () => {
  scene = await Scene.start({
    async reachDatabase(database) {
      const connection = await withMovableClock(database);
      const client = new pg.Client(database);
      await client.connect();
      await client.query(aheadOfDatabase, [moveProcess(-minute)]);
      await client.end();
      return connection;
    },
    config: { representation: { bases: { ...shippedBases, voluntary } } },
  });
  setNodeAhead(scene.portal.servers[1] as never, () => ahead);
});

afterAll(async () => {
  setProcessAhead(0);
  await scene.close();
});

/** The clock of the process, in milliseconds from the birthday. */
function moveProcess(ms: number): number {
  setProcessAhead(0);
  const by = midnight + ms - Date.now();
  setProcessAhead(by);
  return by;
}

async function moveTo(ms: number): Promise<void> {
  await scene.query(aheadOfDatabase, [moveProcess(ms)]);
}

/** A request, and whether it was sent after the birthday had begun at its node, or answered before at each node. */
async function timed(node: number, send: () => Promise<Answer>) {
  const isAfter = Date.now() + (node === 1 ? ahead : 0) >= midnight;
  const answer = await send();
  return { answer, isAfter, isBefore: Date.now() + ahead < midnight };
}

/** Counts what was answered before and after: a round in which nothing was is none. */
class Judge {
  private readonly counts = { before: 0, after: 0 };

  constructor(
    private readonly before: number[],
    private readonly after: number[],
  ) {}

  async see(node: number, send: () => Promise<Answer>): Promise<Answer> {
    const { answer, isAfter, isBefore } = await timed(node, send);
    if (isAfter) expect([this.after, answer.text]).toEqual([expect.arrayContaining([answer.status]), answer.text]);
    if (isBefore) expect([this.before, answer.text]).toEqual([expect.arrayContaining([answer.status]), answer.text]);
    if (isAfter) this.counts.after += 1;
    if (isBefore) this.counts.before += 1;
    return answer;
  }

  expectBoth(): void {
    expect(Object.values(this.counts).filter((count) => count === 0)).toEqual([]);
  }
}

/** Begins the acts before the birthday, and repeats each until the birthday has begun at both nodes. */
async function acrossMidnight(...acts: ((turn: number) => Promise<unknown>)[]): Promise<void> {
  for (const turn of [0, 1]) for (const act of acts) await act(turn);
  await toMidnight();
  await Promise.all(
    acts.map(async (act) => {
      let turn = 2;
      for (; Date.now() < midnight; turn += 1) {
        await act(turn);
        await sleep(5);
      }
      for (const last of [turn, turn + 1]) await act(last);
    }),
  );
}

/** The end at 18, or the step at 13, which leaves no Condition. */
const steps = [
  { age: 18, ends: true, members: { agreedSteps: [16] }, type: 'Immunization' },
  { age: 13, ends: false, members: {}, type: 'Condition' },
];
const begin = async (round: number) => {
  await moveTo(-minute);
  ahead = Math.floor(Math.random() * mostAhead);
  await scene.keepSignedIn();
  await scene.forgetLimits();
  const step = steps[round % 2] as (typeof steps)[number];
  const patient = scene.child(born(step.age));
  const id = await scene.acts(patient, step.members);
  return { ...step, id, patient };
};
const toMidnight = () => moveTo(-ahead - marginMs);

/** After the birthday at both nodes: nothing reads, and what the table ends is stored as ended, once. */
async function expectSettled(
  { id, patient, ends, type }: Awaited<ReturnType<typeof begin>>,
  tokens: readonly string[],
): Promise<void> {
  for (const token of new Set(tokens)) {
    for (const node of [0, 1]) expect([401, 403]).toContain((await scene.read(token, patient, node, type)).status);
  }
  if (!ends) return expect(await scene.stored(id)).toEqual({ status: 'active', reason: null });
  await scene.part(RepresentedAccess).forRequest({
    ...{ account: scene.ana.id, tenant: undefined, patient, at: new Date() },
  });
  await until(async () => (await scene.stored(id)).status === 'ended');
  expect(await scene.stored(id)).toEqual({ status: 'ended', reason: 'age' });
  expect(await scene.eventsOf('representation.ended', id)).toBe(1);
  await scene.expectNothingLeft(id);
}

async function inRounds(round: (number: number) => Promise<void>): Promise<void> {
  for (let number = 0; number < rounds; number += 1) await round(number);
}

describe('While a birthday begins at one node before the other', () => {
  it(
    'each read is decided by the day of its node, and so is each page of a search',
    () =>
      inRounds(async (round) => {
        const begun = await begin(round);
        const { patient, type } = begun;
        const search = `${type}?patient=Patient%2F${patient}`;
        scene.portal.records.set(search, {
          ...{ resourceType: 'Bundle', type: 'searchset', entry: [resourceOf(type, patient)] },
          link: [{ relation: 'next', url: `${scene.portal.upstream.url}/${search}&page=2` }],
        });
        scene.portal.records.set(`${search}&page=2`, {
          ...{ resourceType: 'Bundle', type: 'searchset', entry: [resourceOf(type, patient)] },
        });
        const { tokens } = await scene.held(patient, round);
        const first = await scene.read(tokens.access_token, patient, 0, type);
        const { link } = first.json<{ link: { relation: string; url: string }[] }>();
        const next = link.find(({ relation }) => relation === 'next')?.url ?? '';
        expect(next).not.toBe('');
        const headers = { authorization: `Bearer ${tokens.access_token}` };
        const [reads, pages] = [new Judge([200], [401, 403]), new Judge([200], [401, 403])];
        await acrossMidnight(
          ...[0, 1].flatMap((node) => [
            () => reads.see(node, () => scene.read(tokens.access_token, patient, node, type)),
            () => pages.see(node, () => scene.node(node).get(next, { headers })),
          ]),
        );
        for (const judge of [reads, pages]) judge.expectBoth();
        await expectSettled(begun, [tokens.access_token]);
      }),
    raceTimeout,
  );

  it(
    'a refresh at one node gives a token that the other node decides by its own day',
    () =>
      inRounds(async (round) => {
        const begun = await begin(round);
        const { patient, ends, type } = begun;
        const { app, tokens } = await scene.held(patient, round);
        const given = [tokens.access_token];
        let newest = tokens.refresh_token ?? '';
        const [refreshes, reads] = [new Judge([200], ends ? [400] : [200]), new Judge([200], [401, 403])];
        await acrossMidnight(async (turn) => {
          const node = turn % 2;
          const answer = await refreshes.see(node, () => app.refresh(newest, {}, scene.node(node)));
          if (answer.status === 200) {
            const { access_token, refresh_token = newest } = answer.json<Tokens>();
            given.push(access_token);
            newest = refresh_token;
          }
          await reads.see(1 - node, () => scene.read(given.at(-1) ?? '', patient, 1 - node, type));
        });
        for (const judge of [refreshes, reads]) judge.expectBoth();
        await expectSettled(begun, given);
      }),
    raceTimeout,
  );

  it(
    'an app gets a code and tokens only for what its node permits on that day',
    () =>
      inRounds(async (round) => {
        const begun = await begin(round * 2);
        const { patient } = begun;
        const given: string[] = [];
        const waiting: Awaited<ReturnType<Scene['atConsent']>>[] = [];
        for (let index = 0; index < 4; index += 1) waiting.push(await scene.atConsent(patient, index));
        const held = [await scene.code(patient, 0), await scene.code(patient, 1)] as const;
        const consents = new Judge([204], [409]);
        const exchanges = new Judge([200], [400]);
        const exchange = async (node: number, app: (typeof held)[number]['app'], code: string) => {
          const answer = await exchanges.see(node, () => app.exchange(code, {}, scene.node(node)));
          if (answer.status === 200) given.push(answer.json<Tokens>().access_token);
        };
        const consent = async (index: number) => {
          const { app, returnUrl, consent: accept } = waiting[index] as (typeof waiting)[number];
          // The browser of the user is at the first node.
          if ((await consents.see(0, accept)).status !== 204) return;
          const code = new URL(await app.follow(returnUrl)).searchParams.get('code');
          if (code !== null) await exchange(index % 2, app, code);
        };
        await consent(0);
        await exchange(0, held[0].app, held[0].code);
        await toMidnight();
        await Promise.all([
          atMoment(-ahead, () => consent(1)),
          atMoment(-5, () => consent(2)),
          atMoment(marginMs / 2, () => consent(3)),
          atMoment(marginMs / 2, () => exchange(1, held[1].app, held[1].code)),
        ]);
        for (const judge of [consents, exchanges]) judge.expectBoth();
        await expectSettled(begun, given);
      }),
    raceTimeout,
  );

  it(
    'an invitation is accepted on the days on which it is possible, and on no other',
    () =>
      inRounds(async () => {
        await begin(0);
        scene.portal.has('2', { ...born(lastAge), name: [{ text: 'Noah Reed' }] });
        await scene.query("DELETE FROM representation_relationship WHERE patient = '2'");
        const open: Awaited<ReturnType<Scene['invited']>>[] = [];
        for (let index = 0; index < 4; index += 1) open.push(await scene.invited(scene.agents.noah));
        const acceptances = new Judge([200], [409]);
        const accept = (index: number) =>
          acceptances.see(index % 2, () => open[index]?.accept(scene.node(index), { account: 'new' }) as never);
        await accept(0);
        await toMidnight();
        await Promise.all([
          atMoment(-ahead, () => accept(1)),
          atMoment(-5, () => accept(2)),
          atMoment(marginMs / 2, () => accept(3)),
        ]);
        acceptances.expectBoth();
        const accounts = await scene.query<{ id: string }>(
          "SELECT account_id AS id FROM representation_relationship WHERE patient = '2'",
        );
        for (const { id: account } of accounts) {
          const request = { account, tenant: undefined, patient: '2', at: new Date() };
          expect((await scene.part(RepresentedAccess, 0).forRequest(request)).permitted).toBe(false);
        }
      }),
    raceTimeout,
  );
});

/** Runs the act when the clock of the process is at this many milliseconds from the birthday. */
async function atMoment(ms: number, act: () => Promise<unknown>): Promise<void> {
  const left = midnight + ms - Date.now();
  if (left > 0) await sleep(left);
  await act();
}

function resourceOf(resourceType: string, patient: string): object {
  const reference = { reference: `Patient/${patient}` };
  return { resource: { resourceType, id: `of-${patient}`, subject: reference, patient: reference } };
}
