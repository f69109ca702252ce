import type { ComingStep } from '../../../src/contract/representation/coming-step.js';
import type { OwnRelationships } from '../../../src/contract/representation.js';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import { dayIn } from '../../../src/representation/domain/ages.js';
import type { SmartApp } from '../../support/apps/smart-app.js';
import type { Agent } from '../../support/http/agent.js';
import { launchOf } from '../../support/portal/launch-rows.js';
import { actingIn, jwtApp, opaqueApp, scopeOfActing, withSecret } from '../../support/representation/acting.js';
import { birthdayAfter, bornFor } from '../../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

/** Ana acts for Mia, who turns 13 in 20 days; both apps have access. */
let portal: FamilyPortal;
let ana: Agent;
let noah: Agent;
let id: string;
let needing: { app: SmartApp; refresh: string };
const { acts, tokensFor, introspect } = actingIn(() => portal);
const day = birthdayAfter(dayIn(new Date(), 'Europe/Amsterdam'), 20);
const birthDate = bornFor(13, day);
const scope = (kinds: string) => scopeOfActing.replace('patient/*.rs', kinds).replace('user/Patient.rs ', '');

beforeAll(async () => {
  const needs = { ...jwtApp, requiredScopes: ['patient/Condition.rs'] };
  portal = await startFamilyPortal({ config: { clients: [needs, opaqueApp] } });
  portal.has('mia', { birthDate });
  [ana, noah] = await Promise.all([portal.as(family.ana), portal.as(family.noah)]);
  id = await acts('mia');
});

afterAll(() => portal.close());

const step = async (by: Agent, relationship = id) => by.get(`/api/representation/${relationship}/coming-step`);

describe('The coming birthday of a patient', () => {
  it('is told to the representative alone: kinds by the rule, and what becomes of each app', async () => {
    const { app, tokens } = await tokensFor('mia', { scope: scope('patient/Condition.rs patient/Immunization.rs') });
    needing = { app, refresh: tokens.refresh_token ?? '' };
    await tokensFor('mia', { ...withSecret, scope: scope('patient/MedicationRequest.rs patient/Immunization.rs') });
    const answer = (await step(ana)).json<ComingStep>();
    expect(answer).toMatchObject({ age: 13, on: day, ends: false, needsAgreement: false });
    expect(answer.kinds).toContainEqual({ kind: 'Encounter', now: true, later: false, surely: false });
    expect(answer.kinds).toContainEqual({ kind: 'AllergyIntolerance', now: true, later: true, surely: true });
    expect(answer.apps.map(({ clientName, ends, lost }) => [clientName, ends, lost])).toEqual(
      [
        [jwtApp.clientName, true, ['Condition']],
        [opaqueApp.clientName, false, ['MedicationRequest']],
      ].toSorted(([one], [other]) => String(one).localeCompare(String(other))),
    );
    expect((await step(noah)).status).toBe(404);
    expect((await step(ana, 'unknown')).status).toBe(404);
  });

  it('ends the grant of the app that needs what is lost, and that one alone', async () => {
    const { tokens } = await tokensFor('mia', { ...withSecret, scope: scope('patient/Immunization.rs') });
    const grants = async () =>
      (
        await portal.query<{ client: string }>(
          `SELECT DISTINCT client_id AS client FROM oidc_record WHERE model = 'Grant'
              AND payload -> 'representation' IS NOT NULL ORDER BY 1`,
        )
      ).map(({ client }) => client);
    expect(await grants()).toHaveLength(2);
    const sweeps = portal.apps[0]?.get(RelationshipSweeps, { strict: false }) as RelationshipSweeps;
    await sweeps.sweep(new Date());
    expect(await grants()).toHaveLength(2);
    portal.has('mia', { birthDate: '2012-01-01' });
    await portal.query('UPDATE representation_relationship SET due_at = NULL');
    // The record is read again after five minutes.
    await sweeps.sweep(new Date(Date.now() + 6 * 60_000));
    expect(await grants()).toEqual([opaqueApp.clientId]);
    expect((await introspect(tokens.access_token)).active).toBe(true);
  });

  it('is the cause in the record of that app: the user still acts for the patient', async () => {
    const launch = await launchOf(portal, await needing.app.refresh(needing.refresh));
    expect(Object.keys(launch?.entries ?? {})).toContain('access-had-ended');
    expect(launch?.entries['access-had-ended']?.detail).toMatchObject({
      reason: 'The level of the user for the patient leaves the app too little',
      ended: expect.stringContaining('at a lower level now'),
      page: 'user',
    });
  });

  it('of chosen kinds names each of them, and an app that is left none ends', async () => {
    portal.has('tom', { birthDate });
    const level = 'full AllergyIntolerance Goal Observation?category=laboratory';
    const tom = await acts('tom', { level });
    await tokensFor('tom', { scope: scope('patient/Observation.rs patient/AllergyIntolerance.rs') });
    await tokensFor('tom', { ...withSecret, scope: scope('patient/Observation.rs') });
    const answer = (await step(ana, tom)).json<ComingStep>();
    expect(answer.kinds.filter(({ now }) => now)).toEqual([
      { kind: 'AllergyIntolerance', now: true, later: true, surely: true },
      { kind: 'Observation/laboratory', now: true, later: false, surely: false },
      { kind: 'Goal', now: true, later: false, surely: false },
    ]);
    const apps = Object.fromEntries(answer.apps.map(({ clientName, ends, lost }) => [clientName, { ends, lost }]));
    expect(apps[opaqueApp.clientName]).toEqual({ ends: true, lost: ['Observation'] });
    const { lookedAfter } = (await ana.get('/api/representation')).json<OwnRelationships>();
    expect(lookedAfter.find((one) => one.id === tom)?.next).toMatchObject({ level: 'Limited: the basics' });
  });

  it('that takes nothing of the chosen kinds is no step, and nothing is told of it', async () => {
    portal.has('ida', { birthDate });
    const ida = await acts('ida', { level: 'full AllergyIntolerance Immunization' });
    expect((await step(ana, ida)).json<ComingStep>()).toMatchObject({ age: 16, needsAgreement: true });
  });
});
