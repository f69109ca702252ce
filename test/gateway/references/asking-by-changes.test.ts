import { sharedBy, TwoRecords } from '../../support/fhir/two-records.js';

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

/** Where the second of those who take part is. */
const second: Record<string, string> = {
  Appointment: '/participant/1/actor',
  Group: '/member/1/entity',
  Schedule: '/actor/1',
};

describe.each(Object.entries(sharedBy))('what several patients share (%s)', (type, elements) => {
  const shared = (...patients: string[]) => ({ resourceType: type, id: 'shared', ...elements(...patients) });
  const path = `/${type}/shared`;
  const entry = (method: string, resource?: object) => ({ resource, request: { method, url: `${type}/shared` } });
  const transaction = (part: object) => ({ resourceType: 'Bundle', type: 'transaction', entry: [part] });
  const test0 = (value: string) => [{ op: 'test', path: `${second[type]}/reference`, value }];
  const copied = [{ op: 'copy', from: second[type], path: '/basedOn' }];
  const changes: [string, Change][] = [
    ['an update', ['PUT', path, shared('p1')]],
    ['an update with what is shown and not', ['PUT', path, shared('p1', 'p2')]],
    ['a delete', ['DELETE', path, undefined]],
    ['a patch', ['PATCH', path, [{ op: 'add', path: '/status', value: 'booked' }], patchType]],
    ['a patch that tests rightly what is not shown', ['PATCH', path, test0('Patient/p2'), patchType]],
    ['a patch that tests wrongly what is not shown', ['PATCH', path, test0('Patient/p3'), patchType]],
    ['a patch that copies what is not shown', ['PATCH', path, copied, patchType]],
    ['an update in a transaction', ['POST', '', transaction(entry('PUT', shared('p1')))]],
    ['a delete in a transaction', ['POST', '', transaction(entry('DELETE'))]],
    ['a conditional update', ['PUT', `/${type}?identifier=x`, { ...shared('p1'), id: undefined }]],
    ['a conditional delete', ['DELETE', `/${type}?identifier=x`, undefined]],
  ];

  test.each(changes)('is not changed by %s', async (_what, change) => {
    records.found = [records.stored.get(`${type}/shared`) ?? {}];
    const { status, text, writes } = await send(change);
    expect([status, writes]).toEqual([403, []]);
    expect(text).toContain('Others than the patient of this token take part in this resource');
    // A token that may not read it is not told that it exists.
    const writer = records.gateway.tokenFor('patient/*.cud', { patient: 'p1' });
    if (!change[1].includes('?')) expect((await send(change, writer)).status).toBe(404);
  });

  test('of other patients is answered like a missing one', async () => {
    for (const [, change] of changes.filter(([, [, path]]) => !path.includes('?'))) {
      records.stored.set(`${type}/shared`, shared('p2', 'p3'));
      const others = await send(change);
      records.stored.delete(`${type}/shared`);
      expect(await send(change)).toEqual(others);
      expect([others.status, others.writes]).toEqual([404, []]);
    }
  });

  test('may be made and changed as long as no other patient takes part in it', async () => {
    const { id: _id, ...fresh } = shared('p1');
    records.stored.set(`${type}/shared`, { ...shared('p1'), meta: { versionId: '1' } });
    const own: Change[] = [
      ['POST', `/${type}`, fresh],
      ['PUT', path, shared('p1')],
      ['PATCH', path, [{ op: 'add', path: '/comment', value: 'x' }], patchType],
      ['DELETE', path, undefined],
    ];
    for (const change of own) expect([change[0], (await send(change)).status < 300]).toEqual([change[0], true]);
    const added = [{ op: 'copy', from: second[type]?.replace('1', '0'), path: '/x' }];
    const leading: Change[] = [
      ['POST', `/${type}`, elements('p1', 'p2')],
      ['POST', `/${type}`, { resourceType: type, ...elements('p1', 'p2') }],
      ['POST', `/${type}`, { resourceType: type, ...elements('p2') }],
      ['POST', `/${type}`, { resourceType: type, ...elements() }],
      ['PUT', path, shared('p1', 'p2')],
      ['PUT', path, shared('p2')],
      ['PUT', path, shared()],
      ['PATCH', path, [...added, { op: 'replace', path: '/x/reference', value: 'Patient/p2' }], patchType],
    ];
    for (const change of leading) {
      const { status, writes } = await send(change);
      expect([change, status >= 400, writes]).toEqual([change, true, []]);
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
