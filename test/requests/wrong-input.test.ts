import type { RelationshipView } from '../../src/contract/representation.js';
import { family } from '../support/representation/family-portal.js';
import {
  aProposal,
  aRequest,
  expectTold,
  inDays,
  invitationsPath as invitations,
  longText,
  noId,
  nora,
  relationshipsPath as path,
  startWrongInputPortal,
  type WrongInputPortal,
} from '../support/representation/wrong-input.js';
import { people } from '../support/users/people.js';

let portal: WrongInputPortal;

beforeAll(async () => {
  portal = await startWrongInputPortal();
});

afterAll(() => portal.close());

beforeEach(() => portal.query('DELETE FROM rate_limit'));

const aDecision = { decision: 'approve', note: 'Seen' };
const told = (...[send, expected]: Parameters<typeof expectTold> extends [unknown, ...infer Rest] ? Rest : never) =>
  expectTold(portal, send, expected);
const anInvitation = (more: object = {}) => ({ fullName: 'Tomás', email: 'new@example.org', level: 'basics', ...more });
const anAcceptance = (more: object = {}) => ({
  ...{ token: portal.invitation.token, spokenCode: portal.invitation.spokenCode, isAdult: true, account: 'own' },
  ...more,
});

describe('An invitation', () => {
  it.each([
    ['the own address', { email: family.noah.email }, 'email', 'invitation-oneself'],
    ['the own address in capitals', { email: ` ${family.noah.email.toUpperCase()} ` }, 'email', 'invitation-oneself'],
    ['no address', { email: 'tomas' }, 'email', undefined],
    ['an empty address', { email: '' }, 'email', undefined],
    ['an address of 10,000 characters', { email: `${longText}@example.org` }, 'email', undefined],
    ['an address with a line break', { email: 'a@example.org\r\nBcc: b@example.org' }, 'email', undefined],
    ['a list of addresses', { email: ['a@example.org'] }, 'email', undefined],
    ['no name', { fullName: '' }, 'fullName', undefined],
    ['a name of blanks', { fullName: '   ' }, 'fullName', undefined],
    ['a name of 10,000 characters', { fullName: longText }, 'fullName', undefined],
    ['a name with NUL', { fullName: 'To\u0000m' }, 'fullName', undefined],
    ['a name with marks that turn its order', { fullName: 'To\u202em' }, 'fullName', undefined],
    ['an unknown level', { level: 'everything' }, 'level', 'representation-level-unknown'],
    ['a member of all objects as a level', { level: 'constructor' }, 'level', 'representation-level-unknown'],
    ['a list of levels', { level: ['basics'] }, 'level', undefined],
    ['an unknown basis', { basis: 'friendship' }, 'basis', 'representation-basis-unknown'],
    ['a basis of the hospital', { basis: 'court-appointed' }, 'basis', 'representation-basis-unknown'],
    ['the name of the prototype as a basis', { basis: '__proto__' }, 'basis', 'representation-basis-unknown'],
    ['a relation of another basis', { relation: 'mother' }, 'relation', 'representation-relation-unknown'],
    ['a last day in the past', { end: '2020-01-01' }, 'end', 'representation-period-past'],
    ['a word for a day', { end: 'soon' }, 'end', undefined],
    ['a day that no calendar has', { end: '2040-02-30' }, 'end', undefined],
    ['a list for a day', { end: ['2040-01-01'] }, 'end', undefined],
    ['a tenant of others', { tenant: 'north' }, 'tenant', 'representation-tenant-unknown'],
    ['a tenant with NUL', { tenant: 'no\u0000rth' }, 'tenant', undefined],
    ['another member', { start: '2040-01-01' }, 'start', undefined],
  ])('with %s is told at its field', async (_, more, field, code) => {
    await told(() => portal.noah.post(invitations, anInvitation(more)), { field, code });
  });

  it.each([
    ['to a user who acts already', { email: family.ana.email }],
    ['to an address that is invited', { email: 'Tom@Example.org' }],
  ])('%s is refused, because the pair has one', async (_, more) => {
    await told(() => portal.noah.post(invitations, anInvitation(more)), { status: 409 });
  });

  it.each(['/code', '/new-code', ''])('of a stranger’s id is not there: %s', async (call) => {
    const method = call === '' ? 'DELETE' : 'POST';
    for (const id of [portal.invitation.id, noId, 'x', 'x'.repeat(2_000)]) {
      const body = call === '' ? undefined : {};
      await told(() => portal.ana.send(`${invitations}/${id}${call}`, { method, body }), { status: 404 });
    }
  });
});

describe('An acceptance', () => {
  it.each([
    ['five digits', { spokenCode: '12345' }, 'spokenCode'],
    ['letters for digits', { spokenCode: 'abcdef' }, 'spokenCode'],
    ['digits of another script', { spokenCode: '١٢٣٤٥٦' }, 'spokenCode'],
    ['a number for digits', { spokenCode: 123_456 }, 'spokenCode'],
    ['a list of codes', { spokenCode: ['000000', '000001'] }, 'spokenCode'],
    ['a code of 10,000 digits', { spokenCode: '1'.repeat(10_000) }, 'spokenCode'],
    ['a word for the age', { isAdult: 'yes' }, 'isAdult'],
    ['no statement of age', { isAdult: false }, 'isAdult'],
    ['another kind of account', { account: 'admin' }, 'account'],
    ['a name with NUL', { account: 'new', fullName: 'To\u0000m' }, 'fullName'],
    ['a name of 10,000 characters', { account: 'new', fullName: longText }, 'fullName'],
    ['a list of tokens', { token: [] }, 'token'],
    ['a token of 10,000 characters', { token: longText }, 'token'],
  ])('with %s is told at its field, and uses no try up', async (_, more, field) => {
    await told(() => portal.ana.post(`/api/invitations/${portal.invitation.id}/acceptance`, anAcceptance(more)), {
      field,
    });
  });

  it.each([
    ['of the patient', () => portal.noah, { field: 'account', code: 'representation-oneself' }],
    ['of an administrator', () => portal.admin, { field: 'account', code: 'representation-second-account' }],
    ['of a user of another tenant', () => portal.as(nora), { field: 'account', code: 'representation-other-tenant' }],
    ['without a session', () => portal.stranger, { status: 401 }],
  ])('%s is refused, and uses no try up', async (_, by, expected) => {
    const agent = await by();
    await told(() => agent.post(`/api/invitations/${portal.invitation.id}/acceptance`, anAcceptance()), expected);
  });

  it('by a practitioner needs a second account', async () => {
    const mira = await portal.as(people.practitioner);
    await told(() => mira.post(`/api/invitations/${portal.invitation.id}/acceptance`, anAcceptance()), {
      ...{ field: 'account', code: 'representation-second-account' },
    });
  });

  it.each([noId, 'x'])('of the id %s is not there', async (id) => {
    await told(() => portal.ana.post(`/api/invitations/${id}/acceptance`, anAcceptance()), { status: 404 });
    await told(() => portal.ana.post(`/api/invitations/${id}/facts`, { token: 'x' }), { status: 404 });
    await told(() => portal.ana.post(`/api/invitations/${id}/refusal`, { token: 'x' }), { status: 404 });
  });
});

describe('A patient', () => {
  it.each([
    ['an unknown level', 'level', { seen: 'basics', level: 'everything' }, 'level'],
    ['a list of levels', 'level', { seen: 'basics', level: ['full'] }, 'level'],
    ['a level with NUL', 'level', { seen: 'basics', level: 'fu\u0000ll' }, 'level'],
    ['no level that was seen', 'level', { level: 'full' }, 'seen'],
    ['a last day in the past', 'period', { end: '2020-01-01' }, 'end'],
    ['a day before the present last one', 'period', { end: inDays(5) }, 'end'],
    ['a day that no calendar has', 'period', { end: '2041-02-29' }, 'end'],
    ['a list of days', 'period', { end: ['2041-02-28'] }, 'end'],
    ['an age that is a word', 'agreement', { step: 'sixteen' }, 'step'],
    ['a negative age', 'agreement', { step: -1 }, 'step'],
    ['half a year', 'agreement', { step: 16.5 }, 'step'],
  ])('who gives %s is told at its field', async (_, call, body, field) => {
    await told(() => portal.noah.send(`/api/representation/${portal.helper}/${call}`, { method: 'PUT', body }), {
      field,
    });
  });

  it.each([
    ['PUT', 'level', { seen: 'basics', level: 'full' }],
    ['PUT', 'period', { end: '2041-01-01' }],
    ['PUT', 'agreement', { step: 16 }],
    ['DELETE', 'agreement', { step: 16 }],
    ['POST', 'confirmation', {}],
    ['POST', 'end', {}],
    ['GET', 'coming-step', undefined],
  ])('does not find a stranger’s relationship: %s %s', async (method, call, body) => {
    const anas = call === 'coming-step' ? [] : [portal.acted];
    for (const id of [...anas, noId, 'x', '%2e%2e']) {
      const answer = await portal.noah.send(`/api/representation/${id}/${call}`, { method, body });
      expect([id, answer.status]).toEqual([id, 404]);
    }
  });
});

describe('A request', () => {
  it.each([
    ['an unknown basis', { basis: 'friendship' }, 'basis'],
    ['a basis that patients choose', { basis: 'voluntary' }, 'basis'],
    ['a list of bases', { basis: ['parental-responsibility'] }, 'basis'],
    ['a relation of another basis', { relation: 'friend' }, 'relation'],
    ['no name', { patientName: '' }, 'patientName'],
    ['a name of blanks', { patientName: ' \u00a0 ' }, 'patientName'],
    ['a name of 10,000 characters', { patientName: longText }, 'patientName'],
    ['a name with NUL', { patientName: 'Le\u0000o' }, 'patientName'],
    ['half a character', { patientName: 'Le\ud83do' }, 'patientName'],
    ['a name with marks that turn its order', { patientName: '\u202eoeL' }, 'patientName'],
    ['a birth date in the future', { birthDate: '2999-01-01' }, 'birthDate'],
    ['a birth date that no calendar has', { birthDate: '2019-02-29' }, 'birthDate'],
    ['the year 0', { birthDate: '0000-01-01' }, 'birthDate'],
    ['a year alone', { birthDate: '2019' }, 'birthDate'],
    ['a list of birth dates', { birthDate: ['2019-01-01'] }, 'birthDate'],
    ['a record number of 10,000 characters', { recordNumber: longText }, 'recordNumber'],
    ['a record number with NUL', { recordNumber: 'NB\u0000' }, 'recordNumber'],
    ['a statement of 10,000 characters', { statement: longText }, 'statement'],
    ['a statement with NUL', { statement: 'I am\u0000' }, 'statement'],
    ['a statement with half a character', { statement: 'I am \udc00' }, 'statement'],
    ['an object for a statement', { statement: { a: 1 } }, 'statement'],
    ['no word that it is true', { isTrue: false }, 'isTrue'],
    ['a text that it is true', { isTrue: 'true' }, 'isTrue'],
    ['four files', { files: Array.from({ length: 4 }, () => '4b3ad1b5-7c0e-4a64-9f3f-8f1e7f0b1a11') }, 'files'],
    ['a file that is not there', { files: ['4b3ad1b5-7c0e-4a64-9f3f-8f1e7f0b1a11'] }, 'files'],
    ['a file id that is none', { files: ['../etc'] }, 'files'],
    ['a text for files', { files: 'all' }, 'files'],
    ['a tenant of others', { tenant: 'north' }, 'tenant'],
    ['another member', { patient: 'leo' }, 'patient'],
  ])('with %s is told at its field', async (_, more, field) => {
    await told(() => portal.noah.post('/api/requests', aRequest(more)), { field });
  });

  it.each([
    ['no words', { statement: '' }, { field: 'statement' }],
    ['blanks', { statement: '   ' }, { field: 'statement' }],
    ['10,000 characters', { statement: longText }, { field: 'statement' }],
    ['NUL', { statement: 'a\u0000' }, { field: 'statement' }],
    ['a negative age', { step: -1 }, { field: 'step' }],
    ['an age of 10,000', { step: 10_000 }, { field: 'step' }],
    ['no id', { relationship: 'x' }, { field: 'relationship' }],
    ['a stranger’s id', { relationship: noId }, { status: 404 }],
  ])('for a change with %s is told at its field', async (_, more, expected) => {
    const form = { relationship: portal.helper, statement: 'More, please', ...more };
    await told(() => portal.noah.post('/api/requests/change', form), expected);
  });

  it.each([
    ['no id', { patient: '../leo' }, { field: 'patient' }],
    ['NUL', { patient: 'le\u0000o' }, { field: 'patient' }],
    ['another patient', { patient: 'nora' }, { status: 404 }],
    ['another tenant', { patient: 'kim', tenant: 'north' }, { status: 404 }],
  ])('for the whole list with %s is told at its field', async (_, form, expected) => {
    await told(() => portal.ana.post('/api/requests/accounting', form), expected);
  });

  it.each([
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['POST', '/files', { files: [] }],
  ])('of a stranger is not there: %s%s', async (method, call, body) => {
    for (const id of [portal.asked, noId, 'x']) {
      await told(() => portal.ana.send(`/api/requests/${id}${call}`, { method, body }), { status: 404 });
    }
  });
});

describe('What was wrong', () => {
  it('is accepted once it is right, for each way in', async () => {
    const right = [
      await portal.admin.post(path, aProposal),
      await portal.admin.post(`${path}/${portal.proposal}/decision`, aDecision),
      await portal.ana
        .post(`/api/invitations/${portal.invitation.id}/acceptance`, anAcceptance())
        .then(({ status }) => ({ status })),
      await portal.noah.post(invitations, anInvitation({ end: '2040-02-29' })),
      await portal.noah.post('/api/requests', aRequest({ patientName: 'מיה דוארטה', statement: 'Two\nlines' })),
      await portal.noah.send(`/api/representation/${portal.helper}/period`, {
        method: 'PUT',
        body: { end: '2040-02-29' },
      }),
      await portal.admin.post(`${path}/confirmations`, { relationships: [portal.suspended], note: 'Back' }),
    ];
    // Ana acts for Noah already, so that her acceptance is refused, and the pair keeps what it has.
    expect(right.map(({ status }) => status)).toEqual([201, 200, 409, 201, 201, 204, 200]);
    const all = (await portal.admin.get(`${path}?patient=leo`)).json<{ relationships: RelationshipView[] }>();
    expect(all.relationships).toMatchObject([{ status: 'proposed' }]);
  });
});
