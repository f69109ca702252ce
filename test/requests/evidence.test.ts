import type { OwnRequestList } from '../../src/contract/requests.js';
import { shippedBases } from '../../src/platform/config/representation-defaults.js';
import type { Agent } from '../support/http/agent.js';
import { aPdf, ask, sendFile } from '../support/representation/asked.js';
import { type FamilyPortal, family, startFamilyPortal } from '../support/representation/family-portal.js';

/** Each basis asks for something else. */
const bases = {
  'parental-responsibility': {
    ...shippedBases['parental-responsibility'],
    evidence: { recordNumber: 'needed', statement: 'none', files: 'needed' },
  },
  carer: { ...shippedBases.carer, evidence: { recordNumber: 'none', statement: 'needed', files: 'none' } },
  'court-appointed': { ...shippedBases['court-appointed'], evidence: undefined },
};
let portal: FamilyPortal;
let ana: Agent;

beforeAll(async () => {
  portal = await startFamilyPortal({ config: { representation: { bases } } });
  ana = await portal.as(family.ana);
});

afterAll(() => portal.close());

async function refusedFields(form: object): Promise<(string | undefined)[]> {
  const answer = await ana.post('/api/requests', {
    ...{ patientName: 'Leo Duarte', birthDate: '2020-05-10', isTrue: true, files: [], ...form },
  });
  return [answer.status, ...answer.json<{ codes: { field?: string }[] }>().codes.map(({ field }) => field)] as never;
}

describe('The configuration of a basis', () => {
  it('says what the form asks for, and what it needs', async () => {
    const { bases: asked } = (await ana.get('/api/requests')).json<OwnRequestList>();
    expect(asked.map(({ id, evidence }) => [id, evidence])).toEqual([
      ['parental-responsibility', { recordNumber: true, statement: null, files: true }],
      ['carer', { recordNumber: null, statement: true, files: null }],
      ['court-appointed', { recordNumber: false, statement: false, files: false }],
    ]);
  });

  it.each([
    ['nothing of it', { basis: 'parental-responsibility' }, ['recordNumber', 'files']],
    ['blanks', { basis: 'parental-responsibility', recordNumber: '  ' }, ['recordNumber', 'files']],
    ['what another basis needs', { basis: 'carer', recordNumber: 'NB1' }, ['statement']],
  ])('refuses a request with %s', async (_, form, fields) => {
    expect(await refusedFields(form)).toEqual([400, ...fields]);
  });

  it('keeps nothing that the form does not ask for', async () => {
    const sent = (await sendFile(ana, aPdf())).json<{ id: string }>();
    const form = { basis: 'carer', relation: 'carer', statement: 'Each day', recordNumber: 'NB1', files: [sent.id] };
    const { id, files } = await ask(ana, 'NB1', form, []);
    expect(files).toEqual([]);
    expect(await portal.query('SELECT content FROM request WHERE id = $1', [id])).toMatchObject([
      { content: { statement: 'Each day', recordNumber: null } },
    ]);
  });
});
