import type { OwnRelationships, RelationshipView } from '../../src/contract/representation.js';
import { dayIn } from '../../src/representation/domain/ages.js';
import { type NewRelationship, Relationships } from '../../src/representation/domain/relationships.js';
import type { Agent, Answer } from '../support/http/agent.js';
import { relationshipsPath as path } from '../support/representation/acting.js';
import { birthdayAfter, bornFor } from '../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';
import { aNewRelationship } from '../support/representation/relationship.js';

/** Noah is Patient/2 with an account, 20 days before an age step that needs his agreement; Ana acts for him. */
let portal: FamilyPortal;
let admin: Agent;
let second: Agent;
let ana: Agent;
let noah: Agent;
let anaId: string;

beforeAll(async () => {
  portal = await startFamilyPortal();
  const birthDate = bornFor(16, birthdayAfter(dayIn(new Date(), 'Europe/Amsterdam'), 20));
  portal.has('2', { birthDate, name: [{ text: 'Noah Reed' }] });
  [admin, second, ana, noah, anaId] = await Promise.all([
    portal.as(family.admin),
    portal.as(family.secondAdmin),
    portal.as(family.ana),
    portal.as(family.noah),
    portal.accountId(family.ana),
  ]);
});

afterAll(() => portal.close());

beforeEach(() => portal.query('TRUNCATE representation_relationship CASCADE'));

const attorney = { basis: 'power-of-attorney', relation: 'attorney', patient: '2' } as const;
const relationships = () => portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
const acts = (members: Partial<NewRelationship>) => relationships().add(aNewRelationship(anaId, members));

describe('An act that names the last change which its page has shown', () => {
  const own = (id: string, what: string, body: object, method = 'PUT') =>
    noah.send(`/api/representation/${id}/${what}`, { method, body });
  const administrators = (by: Agent, id: string, what: string, body: object) =>
    by.post(`${path}/${id}/${what}`, { note: 'Seen', ...body });
  const shownToAdministrators = async (id: string) =>
    (await admin.get(`${path}/${id}`)).json<RelationshipView>().changedAt;
  const shownToPatient = async (id: string) => {
    const { helpers } = (await noah.get('/api/representation')).json<OwnRelationships>();
    return helpers.find((one) => one.id === id)?.changedAt ?? '';
  };
  const atStep = () => acts({ patient: '2' });
  const agreed = async (id: string) => (await relationships().findById(id))?.agreedSteps;

  interface Late {
    id: string;
    shown: string;
    act: (seenChange: string | undefined) => Promise<Answer>;
    meanwhile: (() => Promise<Answer>)[];
    again: () => Promise<string>;
  }
  const rows: [act: string, meanwhile: string, prepare: () => Promise<Late>][] = [
    [
      'the agreement of a patient',
      'its withdrawal',
      async () => {
        const { id } = await atStep();
        const act = (seenChange: string | undefined) => own(id, 'agreement', { step: 16, seenChange });
        const meanwhile = [() => act(undefined), () => own(id, 'agreement', { step: 16 }, 'DELETE')];
        return { id, shown: await shownToPatient(id), act, meanwhile, again: () => shownToPatient(id) };
      },
    ],
    [
      'an agreement that an administrator records',
      'its withdrawal',
      async () => {
        const { id } = await atStep();
        const record = (by: Agent, isAgreed: boolean, seenChange?: string) =>
          administrators(by, id, 'agreement', { step: 16, isAgreed, seenChange });
        const meanwhile = [() => record(second, true), () => record(second, false)];
        const act = (seenChange: string | undefined) => record(admin, true, seenChange);
        return { id, shown: await shownToAdministrators(id), act, meanwhile, again: () => shownToAdministrators(id) };
      },
    ],
    ...(['approve', 'decline', 'more-needed'] as const).map((decision): (typeof rows)[number] => [
      `a decision (${decision})`,
      'another administrator has asked for more',
      async () => {
        const { id } = await acts({ patient: 'leo', status: 'proposed' });
        const act = (seenChange: string | undefined) => administrators(admin, id, 'decision', { decision, seenChange });
        const meanwhile = [() => administrators(second, id, 'decision', { decision: 'more-needed' })];
        return { id, shown: await shownToAdministrators(id), act, meanwhile, again: () => shownToAdministrators(id) };
      },
    ]),
    [
      'a confirmation after the end by the patient',
      'another confirmation and another end',
      async () => {
        const { id } = await acts({ ...attorney, status: 'suspended', reason: 'patient-ended' });
        const confirm = (by: Agent, seenChange?: string) =>
          administrators(by, id, 'confirmation', { reason: 'patient-ended', seenChange });
        const meanwhile = [() => confirm(second), () => own(id, 'end', {}, 'POST')];
        const act = (seenChange: string | undefined) => confirm(admin, seenChange);
        return { id, shown: await shownToAdministrators(id), act, meanwhile, again: () => shownToAdministrators(id) };
      },
    ],
  ];

  it.each(rows)('is refused, and changes nothing: %s, after %s', async (_, __, prepare) => {
    const { id, shown, act, meanwhile, again } = await prepare();
    for (const one of meanwhile) expect([200, 204]).toContain((await one()).status);
    const before = await relationships().findById(id);
    const late = await act(shown);
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('representation-changed')]);
    expect(await relationships().findById(id)).toEqual(before);
    expect([200, 204]).toContain((await act(await again())).status);
  });

  it('has no second effect when an agreement is sent again, and a withdrawal always counts', async () => {
    const { id } = await atStep();
    const seenChange = await shownToPatient(id);
    const agree = () => own(id, 'agreement', { step: 16, seenChange });
    expect([(await agree()).status, (await agree()).status]).toEqual([204, 204]);
    expect(await agreed(id)).toEqual([16]);
    expect((await own(id, 'agreement', { step: 16, seenChange }, 'DELETE')).status).toBe(204);
    expect(await agreed(id)).toEqual([]);
  });

  it('does not tell the representative when something was changed', async () => {
    await acts({ patient: '2' });
    const { lookedAfter } = (await ana.get('/api/representation')).json<OwnRelationships>();
    expect(lookedAfter).toMatchObject([{ changedAt: null }]);
  });
});
