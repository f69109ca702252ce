import { dayIn } from '../../../src/representation/domain/ages.js';
import { addDays, startOf } from '../../../src/representation/domain/coming-steps.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { setProcessAhead, withMovableClock } from '../../support/database/movable-clock.js';
import { Agent } from '../../support/http/agent.js';
import { actingIn, jwtApp, opaqueApp, withSecret } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { runs } from '../../support/runs.js';
import { until } from '../../support/until.js';

/** Midnight comes between two acts of an app, on two nodes; both clocks are moved, of the process and of the database. */
const { numRuns: rounds } = runs(2, 20);
const zone = 'Europe/Amsterdam';
const scope = 'openid launch/patient patient/Condition.rs patient/Immunization.rs offline_access';
const kinds = [
  ['self-contained tokens', { client: jwtApp, scope }],
  ['opaque tokens', { ...withSecret, scope }],
] as const;

let portal: FamilyPortal;
let ana: string;
let children = 0;
const { beginFor, tokensFor } = actingIn(() => portal);

beforeAll(async () => {
  portal = await startFamilyPortal({
    nodes: 2,
    reachDatabase: withMovableClock,
    config: { clients: [jwtApp, opaqueApp], limits: { startsPerMinute: 1_000_000 } },
  });
  ana = await portal.accountId(family.ana);
});

afterEach(() => moveTo(0));

afterAll(async () => {
  setProcessAhead(0);
  await portal.close();
});

async function moveTo(ahead: number): Promise<void> {
  setProcessAhead(0);
  await portal.query('UPDATE clock.ahead SET by = make_interval(secs => $1)', [ahead / 1000]);
  setProcessAhead(ahead);
}

/** Moves to a minute before the next midnight; returns the day that comes, and the way over it. */
async function beforeMidnight() {
  setProcessAhead(0);
  const day = addDays(dayIn(new Date(), zone), 1);
  const left = startOf(day, zone).getTime() - Date.now();
  await moveTo(left - 60_000);
  return { day, pass: () => moveTo(left + 1_000) };
}

/** A child who reaches this age on the day. */
async function aChild(day: string, age: number) {
  children += 1;
  const patient = `born-${children}`;
  portal.has(patient, { birthDate: `${Number(day.slice(0, 4)) - age}${day.slice(4)}` });
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const { id } = await relationships.add(aNewRelationship(ana, { patient, agreedSteps: [16], decidedAt: new Date(0) }));
  return { patient, id };
}

const node = (index: number) => new Agent(portal.issuer, portal.ports[index]);
const read = async (index: number, token: string, patient: string, type: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await node(index).get(`/fhir/${type}?patient=${patient}`, { headers })).status;
};

describe.each(kinds)('A midnight, with %s,', (_, launch) => {
  it('between a code and its token: who turns 18 gives none, who turns 13 gives less', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { day, pass } = await beforeMidnight();
      const [grown, teen] = [await aChild(day, 18), await aChild(day, 13)];
      const codes: { app: SmartApp; code: string; patient: string }[] = [];
      for (const { patient } of [grown, teen]) {
        const { app, returnUrl } = await beginFor(patient, launch);
        const consented = await app.consent(returnUrl, await app.offeredScopes(returnUrl));
        expect(consented.status).toBe(204);
        const code = new URL(await app.follow(returnUrl)).searchParams.get('code') ?? '';
        codes.push({ app, code, patient });
      }
      await pass();
      const [refused, given] = await Promise.all(codes.map(({ app, code }) => app.exchange(code, {}, node(round % 2))));
      expect([refused?.status, refused?.json().error]).toEqual([400, 'invalid_grant']);
      expect(given?.status).toBe(200);
      const { access_token = '' } = given?.json<Tokens>() ?? {};
      for (const index of [0, 1]) {
        expect(await read(index, access_token, teen.patient, 'Condition')).toBe(403);
        expect(await read(index, access_token, teen.patient, 'Immunization')).toBe(200);
      }
    }
  });

  it('between refreshes and reads on both nodes: nothing of it reads from the first second on', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { day, pass } = await beforeMidnight();
      const [grown, teen] = [await aChild(day, 18), await aChild(day, 13)];
      const held = [await tokensFor(grown.patient, launch), await tokensFor(teen.patient, launch)] as const;
      const [ofGrown, ofTeen] = held.map(({ tokens }) => tokens.access_token) as [string, string];
      for (const index of [0, 1]) {
        expect(await read(index, ofGrown, grown.patient, 'Immunization')).toBe(200);
        expect(await read(index, ofTeen, teen.patient, 'Condition')).toBe(200);
      }
      await pass();
      const refresh = ({ app, tokens }: (typeof held)[0], index: number) =>
        app.refresh(tokens.refresh_token ?? '', {}, node(index));
      const [one, other, first, second, third] = await Promise.all([
        refresh(held[0], 0),
        refresh(held[1], 1),
        read(0, ofGrown, grown.patient, 'Immunization'),
        read(1, ofGrown, grown.patient, 'Immunization'),
        read(1, ofTeen, teen.patient, 'Condition'),
      ]);
      expect([one.status, other.status]).toEqual([400, 200]);
      expect([first, second].every((status) => [401, 403].includes(status))).toBe(true);
      expect(third).toBe(403);
      const { access_token } = other.json<Tokens>();
      expect(await read(0, access_token, teen.patient, 'Condition')).toBe(403);
      expect(await read(0, access_token, teen.patient, 'Immunization')).toBe(200);
      await until(async () => {
        const [row] = await portal.query<{ reason: string }>(
          'SELECT reason FROM representation_relationship WHERE id = $1',
          [grown.id],
        );
        return row?.reason === 'age';
      });
    }
  });
});
