import { people } from '../users/people.js';

const long = 'x'.repeat(10_000);

const proposals: [what: string, members: Record<string, unknown>, field: string, code?: string][] = [
  ['the record of the user', { patient: '1' }, 'patient', 'representation-oneself'],
  ['a patient that the server does not have', { patient: 'nowhere' }, 'patient', 'representation-patient-unknown'],
  ['a path in place of an id', { patient: '../leo' }, 'patient'],
  ['a reference in place of an id', { patient: 'Patient/leo' }, 'patient'],
  ['an id of 10,000 characters', { patient: long }, 'patient'],
  ['no patient', { patient: '' }, 'patient'],
  ['a last day in the past', { end: '2020-01-01' }, 'end', 'representation-period-past'],
  ['an end before the start', { start: '2040-02-01', end: '2040-01-31' }, 'end', 'representation-period-order'],
  ['a word for a day', { end: 'soon' }, 'end'],
  ['a day that no calendar has', { end: '2040-02-30' }, 'end'],
  ['a first day that no calendar has', { start: '2039-02-29' }, 'start'],
  ['the year 0', { start: '0000-01-01' }, 'start'],
  ['a time for a day', { end: '2040-01-01T00:00:00Z' }, 'end'],
  ['an unknown level', { level: 'everything' }, 'level', 'representation-level-unknown'],
  ['a member of all objects as a level', { level: 'constructor' }, 'level', 'representation-level-unknown'],
  ['an unknown basis', { basis: 'friendship' }, 'basis', 'representation-basis-unknown'],
  ['the name of the prototype as a basis', { basis: '__proto__' }, 'basis', 'representation-basis-unknown'],
  ['an unknown relation', { relation: 'boss' }, 'relation', 'representation-relation-unknown'],
  ['a relation of another basis', { relation: 'friend' }, 'relation', 'representation-relation-unknown'],
  ['the patient of another tenant', { tenant: 'north' }, 'tenant', 'representation-other-tenant'],
  ['a tenant that is not configured', { tenant: 'west' }, 'tenant'],
  ['the account of a practitioner', { email: people.practitioner.email }, 'email', 'representation-second-account'],
  ['the account of an administrator', { email: people.admin.email }, 'email', 'representation-second-account'],
  ['a new user without a name', { email: 'new@example.org' }, 'fullName', 'representation-account-unknown'],
  ['a new user without an address', { email: 'rosa', fullName: 'Rosa Lind' }, 'email'],
  ['an address with NUL', { email: 'a\u0000@example.org', fullName: 'Rosa Lind' }, 'email'],
  ['a name of 10,000 characters', { email: 'new@example.org', fullName: long }, 'fullName'],
  ['a name with NUL', { email: 'new@example.org', fullName: 'Ro\u0000sa' }, 'fullName'],
  ['a name with marks that turn its order', { email: 'new@example.org', fullName: 'Ro\u202esa' }, 'fullName'],
  ['a note of 10,000 characters', { note: long }, 'note'],
  ['a note with NUL', { note: 'Se\u0000en' }, 'note'],
  ['a note with half a character', { note: 'Se\ud83den' }, 'note'],
  [
    'the RelatedPerson of another patient',
    { relatedPerson: 'RelatedPerson/of-mia' },
    'relatedPerson',
    'representation-reference-other',
  ],
  ['a Patient as RelatedPerson', { relatedPerson: 'Patient/1' }, 'relatedPerson'],
  ['a list of levels', { level: ['full'] }, 'level'],
  ['a list of addresses', { email: ['amelia.ward@example.org'] }, 'email'],
  ['an object for a patient', { patient: { id: 'leo' } }, 'patient'],
  ['a number for a day', { end: 20_400_101 }, 'end'],
];

/**
 * What is wrong with a proposal: the members that differ from the right one, the field at which it is told, and the
 * code of the sentence where the rules are those of relationships. The portal has a tenant `north`, a RelatedPerson
 * `of-mia` of another patient, and the patient 1 is the user who would act. Each row has all members: Jest gives the
 * test of a shorter row a callback, and waits for it.
 */
export const wrongProposals = proposals.map(([what, members, field, code]) => [what, members, field, code] as const);
