import { TwoRecords } from '../../support/fhir/two-records.js';

let records: TwoRecords;
let token: string;

beforeAll(async () => {
  records = await TwoRecords.start();
  token = records.gateway.tokenFor('patient/*.cruds', { patient: 'p1' });
});

beforeEach(() => records.reset());

afterAll(() => records.close());

type Change = [method: string, path: string, body: unknown, headers?: Record<string, string>];
const patchType = { 'content-type': 'application/json-patch+json' };

async function send([method, path, body, headers = {}]: Change, by = token) {
  records.taken();
  const response = await records.gateway.fetch(path, by, {
    method,
    headers: { 'content-type': 'application/fhir+json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, ...records.taken() };
}

describe('a resource that several patients share', () => {
  const appointment = {
    resourceType: 'Appointment',
    id: 'shared',
    participant: [{ actor: { reference: 'Patient/p1' } }],
  };
  const entry = (method: string, resource?: object) => ({ resource, request: { method, url: 'Appointment/shared' } });
  const transaction = (part: object) => ({ resourceType: 'Bundle', type: 'transaction', entry: [part] });
  const test0 = (value: string) => [{ op: 'test', path: '/participant/1/actor/reference', value }];
  const changes: [string, Change][] = [
    ['an update', ['PUT', '/Appointment/shared', appointment]],
    ['a delete', ['DELETE', '/Appointment/shared', undefined]],
    ['a patch', ['PATCH', '/Appointment/shared', [{ op: 'add', path: '/status', value: 'booked' }], patchType]],
    ['a patch that tests rightly what is not shown', ['PATCH', '/Appointment/shared', test0('Patient/p2'), patchType]],
    ['a patch that tests wrongly what is not shown', ['PATCH', '/Appointment/shared', test0('Patient/p3'), patchType]],
    [
      'a patch that copies what is not shown',
      ['PATCH', '/Appointment/shared', [{ op: 'copy', from: '/participant/1/actor', path: '/basedOn' }], patchType],
    ],
    ['an update in a transaction', ['POST', '', transaction(entry('PUT', appointment))]],
    ['a delete in a transaction', ['POST', '', transaction(entry('DELETE'))]],
    ['a conditional update', ['PUT', '/Appointment?identifier=x', { ...appointment, id: undefined }]],
    ['a conditional delete', ['DELETE', '/Appointment?identifier=x', undefined]],
  ];

  test.each(changes)('is not changed by %s', async (_what, change) => {
    records.found = [records.stored.get('Appointment/shared') ?? {}];
    const { status, text, writes } = await send(change);
    expect([status, writes]).toEqual([403, []]);
    expect(text).toContain('Others than the patient of this token take part in this resource');
    // A token that may not read it is not told that it exists.
    const writer = records.gateway.tokenFor('patient/*.cud', { patient: 'p1' });
    if (!change[1].includes('?')) expect((await send(change, writer)).status).toBe(404);
  });

  test('of other patients is answered like a missing one', async () => {
    const participant = ['p2', 'p3'].map((id) => ({ actor: { reference: `Patient/${id}` } }));
    for (const [, change] of changes.filter(([, [, path]]) => !path.includes('?'))) {
      records.stored.set('Appointment/shared', { ...appointment, participant });
      const others = await send(change);
      records.stored.delete('Appointment/shared');
      expect(await send(change)).toEqual(others);
      expect([others.status, others.writes]).toEqual([404, []]);
    }
  });
});

describe('the condition of a change', () => {
  const observation = { resourceType: 'Observation', subject: { reference: 'Patient/p1' } };
  const conditions = [
    'subject=Patient/p2',
    'patient=Patient/p2',
    'patient=p2',
    'subject=Patient/p1,Patient/p2',
    'identifier=urn:mrn|mrn-p2',
    'code=x',
  ];

  test.each(conditions)('tells nothing of other patients: %s', async (condition) => {
    const changes: Change[] = [
      ['POST', '/Observation', observation, { 'if-none-exist': condition }],
      ['PUT', `/Observation?${condition}`, observation],
      ['DELETE', `/Observation?${condition}`, undefined],
      ['PATCH', `/Observation?${condition}`, [{ op: 'add', path: '/status', value: 'final' }], patchType],
    ];
    for (const change of changes) {
      // A server that ignores the limit finds a resource of another patient, or none.
      records.found = [records.stored.get('Observation/of-p2') ?? {}];
      const withMatch = await send(change);
      records.found = [];
      expect([change[0], await send(change)]).toEqual([change[0], withMatch]);
      expect([change[0], withMatch.status]).toEqual([
        change[0],
        { POST: 201, PUT: 201, DELETE: 204, PATCH: 404 }[change[0]],
      ]);
      expect(withMatch.text).not.toContain('p2');
      for (const asked of withMatch.all) {
        if (asked.startsWith('GET')) expect(decodeURIComponent(asked)).toContain('patient=Patient/p1');
      }
    }
  });

  test.each(['_id=of-p2', 'subject:Patient=p2', 'subject.identifier=x', '_has:Group:member:_id=g1'])(
    'is refused if it may ask about other resources: %s',
    async (condition) => {
      const create = await send(['POST', '/Observation', observation, { 'if-none-exist': condition }]);
      const update = await send(['PUT', `/Observation?${condition}`, observation]);
      expect([create.status, create.all, update.status, update.all]).toEqual([400, [], 400, []]);
    },
  );
});
