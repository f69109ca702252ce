/** Ways in by staff and by the FHIR server, for pairs in each state: the answer, and whether the account may act. */

import type { RelationshipImport } from '../../src/contract/representation/import.js';
import type { RelationshipView } from '../../src/contract/representation.js';
import { RepresentedAccess } from '../../src/representation/application/represented-access.js';
import type { Agent } from '../support/http/agent.js';
import { relationshipsPath as path } from '../support/representation/acting.js';
import { thisYear } from '../support/representation/birthdays.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';

const basis = 'parental-responsibility';
let portal: FamilyPortal;
let admin: Agent;
let ana: string;
let cases = 0;
/** Minutes that have passed: the FHIR server is asked again after five. */
let minutes = 0;

beforeAll(async () => {
  const relationshipCodes = [{ code: 'MTH', basis, level: 'full', relation: 'mother' }];
  portal = await startFamilyPortal({ config: { representation: { source: 'server', relationshipCodes } } });
  admin = await portal.as(family.admin);
  ana = await portal.accountId(family.ana);
});

afterAll(() => portal.close());

const form = (patient: string) => ({ email: family.ana.email, patient, basis, level: 'full' });
const approve = (id: string) => admin.post(`${path}/${id}/decision`, { decision: 'approve', note: 'Seen' });
async function active(patient: string): Promise<string> {
  const { id } = (await admin.post(path, form(patient))).json<RelationshipView>();
  expect((await approve(id)).status).toBe(200);
  return id;
}
const end = async (patient: string, reason: string) => {
  await admin.post(`${path}/${await active(patient)}/end`, { reason, note: 'Over' });
};

/** Each way answers in a word: codes of the refusal, what a line becomes, or whether the server made one. */
const ways = {
  async sheet(patient: string): Promise<string> {
    const proposed = await admin.post(path, form(patient));
    const answer = proposed.status === 201 ? await approve(proposed.json<RelationshipView>().id) : proposed;
    if (answer.status < 300) return answer.json<RelationshipView>().status;
    const { codes } = answer.json<{ codes: { code: string }[] }>();
    return [answer.status, ...codes.map(({ code }) => code.replace('representation-', ''))].join(' ');
  },
  async file(patient: string): Promise<string> {
    const csv = `email,patient,basis,level\n${family.ana.email},${patient},${basis},full\n`;
    const answer = await admin.post(`${path}/import`, { csv, dryRun: false });
    if (answer.status >= 300) {
      const { codes } = answer.json<{ codes: { code: string }[] }>();
      return [answer.status, ...codes.map(({ code }) => code.replace('representation-', ''))].join(' ');
    }
    const { lines, wrong } = answer.json<RelationshipImport>();
    const [line] = lines;
    return line ? [line.becomes, line.reason].filter(Boolean).join(' ') : `${wrong.length} wrong`;
  },
  async server(patient: string): Promise<string> {
    portal.records.set(`of-${patient}`, {
      ...{
        resourceType: 'RelatedPerson',
        id: `of-${patient}`,
        active: true,
        patient: { reference: `Patient/${patient}` },
      },
      relationship: [{ coding: [{ code: 'MTH' }] }],
    });
    const references = [`RelatedPerson/of-${patient}`];
    await admin.send(`${path}/account/${ana}/references`, { method: 'PUT', body: { references } });
    await acting();
    const { relationships } = (await admin.get(`${path}?patient=${patient}`)).json<{
      relationships: RelationshipView[];
    }>();
    // What follows from the record is stored a moment later; what staff have ended is in the list as well.
    const isOver = ({ reason }: RelationshipView) => reason === 'administrator' || reason === 'safeguarding';
    return relationships.every(isOver) ? '-' : 'made';
  },
};

async function acting(): Promise<string[]> {
  minutes += 6;
  const access = portal.apps[0]?.get(RepresentedAccess, { strict: false }) as RepresentedAccess;
  const { patients } = await access.allOf(ana, undefined, new Date(Date.now() + minutes * 60_000));
  return patients.map(({ relationship }) => relationship.patient);
}

const year = thisYear();
const born = (age: number) => ({ birthDate: `${year - age}-01-01` });
/** The pair before, and by each way what is answered; `+`: the account may act afterwards. */
const rows: [state: string, before: (patient: string) => unknown, expected: Record<keyof typeof ways, string>][] = [
  ['a child', () => undefined, { sheet: 'active +', file: 'active +', server: 'made +' }],
  ['a pair that is active', active, { sheet: '409 pair-taken +', file: 'known +', server: 'made +' }],
  [
    'a pair that an administrator has ended',
    (one) => end(one, 'administrator'),
    { sheet: 'active +', file: 'active +', server: '-' },
  ],
  [
    'a pair that is blocked',
    (one) => end(one, 'safeguarding'),
    { sheet: '409 blocked', file: 'proposed blocked', server: '-' },
  ],
  ['a child of 14', (one) => portal.has(one, born(14)), { sheet: 'active +', file: 'proposed less', server: 'made +' }],
  ['a child of 17', (one) => portal.has(one, born(17)), { sheet: 'active', file: 'proposed less', server: 'made' }],
  [
    'an adult',
    (one) => portal.has(one, born(30)),
    { sheet: '400 not-possible', file: 'proposed refuses', server: 'made' },
  ],
  [
    'a child without a birth date',
    (one) => portal.has(one, { birthDate: undefined }),
    { sheet: '400 no-birth-date', file: 'proposed unknown', server: 'made' },
  ],
  [
    'a child who has died',
    (one) => portal.has(one, { deceasedBoolean: true }),
    { sheet: 'active', file: 'active', server: 'made' },
  ],
  [
    'a record that is inactive',
    (one) => portal.has(one, { active: false }),
    { sheet: 'active', file: 'active', server: 'made' },
  ],
  [
    'a record that was replaced',
    (one) => portal.has(one, { link: [{ type: 'replaced-by', other: { reference: 'Patient/leo' } }] }),
    { sheet: 'active', file: 'active', server: 'made' },
  ],
  [
    'a record that is not there',
    (one) => portal.records.delete(one),
    { sheet: '400 patient-unknown', file: '1 wrong', server: '-' },
  ],
];

describe.each(Object.keys(ways) as (keyof typeof ways)[])('By way of the %s', (way) => {
  it.each(rows)('%s', async (_state, before, expected) => {
    cases += 1;
    const patient = `case-${cases}`;
    portal.has(patient);
    await before(patient);
    const answer = await ways[way](patient);
    const mayAct = (await acting()).includes(patient);
    expect(`${answer}${mayAct ? ' +' : ''}`).toBe(expected[way]);
  });
});
