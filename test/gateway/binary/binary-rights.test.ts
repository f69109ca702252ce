import type { AccessTokenFacts } from '../../../src/oidc/domain/access-tokens.js';
import { type BinaryForms, type DocumentServer, startDocumentServer } from '../../support/fhir/document-server.js';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { refusalIn } from '../../support/fhir/scripted-server.js';

let server: DocumentServer;
let gateway: TestGateway;

beforeAll(async () => {
  server = await startDocumentServer();
  gateway = await startGateway(
    server.url,
    { aliases: ['https://fhir.example/r4'] },
    { stepUp: [{ types: ['Media'], acr: 'aal2' }] },
  );
  await gateway.loadCapabilities();
});

beforeEach(() => {
  server.forms = 'both';
  server.pageSize = 100;
  server.resources = [];
  server.binaries.clear();
  server.requests.length = 0;
  store();
});

afterAll(async () => {
  await gateway.close();
  server.close();
});

const pdf = Buffer.from('%PDF-1.7').toString('base64');
const store = (more: object = {}, id = 'b1') =>
  server.binaries.set(id, { id, meta: { versionId: '2' }, contentType: 'application/pdf', data: pdf, ...more });
const securityContext = (reference: unknown) => ({ securityContext: reference });
const note = 'clinical-note';
const document = (patient: string, url: unknown, category = note, id = 'd1') => ({
  resourceType: 'DocumentReference',
  id,
  subject: { reference: `Patient/${patient}` },
  category: [{ coding: [{ system: 'http://c', code: category }] }],
  content: [{ attachment: { url: 'urn:uuid:0' } }, { attachment: { contentType: 'application/pdf', url } }],
});
const linked = (patient = 'p1', url: unknown = 'Binary/b1', category = note) => {
  server.resources.push(document(patient, url, category));
};
const token = (scope: string, facts: Partial<AccessTokenFacts> = { patient: 'p1' }) => gateway.tokenFor(scope, facts);
const ofUser = (scope: string) => token(scope, { fhirUser: `${gateway.base}/Patient/p1` });
const open = async (reader: string, path = '/Binary/b1', accept = '*/*') => {
  const answer = await gateway.fetch(path, reader, { headers: { accept } });
  const text = await answer.text();
  if (answer.status === 404) expect(JSON.parse(text)).toEqual(await missing());
  return answer.status;
};
const missing = async () => (await gateway.fetch('/Binary/none', token('patient/*.rs'))).json();

const linkingScopes = [
  'patient/*.rs',
  'patient/*.read',
  'patient/DocumentReference.rs',
  'patient/DocumentReference.r',
  'patient/DocumentReference.read',
  `patient/DocumentReference.rs?category=http://c|${note}`,
  'patient/Binary.r patient/DocumentReference.rs',
];

describe('a Binary without a security context', () => {
  test.each(linkingScopes)('is opened with %s by a document of the patient that links it', async (scope) => {
    for (const reader of [token(scope), ofUser(scope.replaceAll('patient/', 'user/'))]) {
      server.resources = [];
      expect(await open(reader)).toBe(404);
      linked('p2');
      expect(await open(reader)).toBe(404);
      linked();
      expect(await open(reader)).toBe(200);
      expect(await open(reader, '/Binary/b1', 'application/fhir+json')).toBe(200);
    }
  });

  test.each([
    ['a DocumentReference of another category', `patient/DocumentReference.rs?category=http://c|other`],
    ['a DocumentReference, with scopes for other types', 'patient/DiagnosticReport.rs patient/Media.rs'],
    ['a DocumentReference that may be searched for but not read', 'patient/DocumentReference.s patient/Binary.r'],
    ['a DocumentReference, with a scope for Binary alone', 'patient/Binary.r'],
    [
      'a DocumentReference of another category, and with a scope for Binary',
      `patient/Binary.r patient/DocumentReference.rs?category=other`,
    ],
  ])('is not opened by %s', async (_, scope) => {
    linked();
    expect(await open(token(scope))).toBe(404);
  });

  test.each([
    ['Binary/b1', 200],
    ['Binary/b1/_history/2', 200],
    ['Binary/b1/_history/1', 404],
    ['<server>/Binary/b1', 200],
    ['<gateway>/Binary/b1', 200],
    ['<gateway>/Binary/b1/_history/2', 200],
    ['https://fhir.example/r4/Binary/b1', 200],
    ['https://fhir.example/Binary/b1', 404],
    ['Binary/b1?_format=json', 404],
    ['/Binary/b1', 404],
    ['Binary/B1', 404],
    ['Binary/b11', 404],
    ['xBinary/b1', 404],
    ['Binary/b1/', 404],
    ['Binary/b1#page=2', 404],
    ['http://elsewhere/r4/Binary/b1', 404],
    ['<server>x/Binary/b1', 404],
    ['../r4/Binary/b1', 404],
    ['Observation/b1', 404],
    ['urn:uuid:b1', 404],
    [7, 404],
    [null, 404],
  ])('is linked by the address %j: %s', async (address, status) => {
    const url =
      typeof address === 'string'
        ? address.replace('<server>', server.url).replace('<gateway>', gateway.base)
        : address;
    linked('p1', url);
    expect(await open(token('patient/*.rs'))).toBe(status);
  });

  test.each([
    ['DiagnosticReport', { presentedForm: [{ title: 'x' }, { url: 'Binary/b1' }] }],
    ['Media', { content: { url: 'Binary/b1' } }],
  ])('is opened by a %s', async (type, more) => {
    const resource = { resourceType: type, id: 'x', subject: { reference: 'Patient/p1' }, ...more };
    server.resources = [resource];
    const strong = { patient: 'p1', accountId: 'u1', acr: 'aal2' };
    expect(await open(token(`patient/${type}.rs`, strong))).toBe(200);
    expect(await open(token('patient/DocumentReference.rs'))).toBe(404);
    server.resources = [{ ...resource, subject: { reference: 'Patient/p2' } }];
    expect(await open(token(`patient/${type}.rs`, strong))).toBe(404);
  });

  test('is not opened by a document of two patients, or by the mention of its address elsewhere', async () => {
    server.resources = [
      { ...document('p1', 'Binary/b1'), subject: [{ reference: 'Patient/p1' }, { reference: 'Patient/p2' }] },
      { ...document('p1', 'Binary/x'), description: 'Binary/b1', contained: [document('p1', 'Binary/b1')] },
      { ...document('p1', 'Binary/x'), context: { related: [{ reference: 'Binary/b1' }] } },
    ];
    expect(await open(token('patient/*.rs'))).toBe(404);
  });

  test('is found on the last of several pages, and not beyond what is looked at', async () => {
    server.pageSize = 2;
    const many = (count: number) => Array.from({ length: count }, (_, index) => document('p1', `Binary/x${index}`));
    server.resources = [...many(38), document('p1', 'Binary/b1')];
    expect(await open(token('patient/DocumentReference.rs'))).toBe(200);
    server.resources = [...many(40), document('p1', 'Binary/b1')];
    expect(await open(token('patient/DocumentReference.rs'))).toBe(404);
  });

  test('takes the sign-in that the document takes', async () => {
    server.resources = [
      { resourceType: 'Media', id: 'x', subject: { reference: 'Patient/p1' }, content: { url: 'Binary/b1' } },
    ];
    const weak = token('patient/*.rs', { patient: 'p1', accountId: 'u1', acr: 'aal1' });
    expect(await open(weak)).toBe(401);
    expect(await open(token('patient/Media.rs', { patient: 'p1', accountId: 'u1', acr: 'aal2' }))).toBe(200);
  });
});

const all = ['patient/*.rs', 'patient/DocumentReference.rs', 'patient/Binary.r'] as const;

describe('the security context of a Binary', () => {
  const own = { resourceType: 'Encounter', id: 'e1', subject: { reference: 'Patient/p1' } };
  const others = { ...own, id: 'e2', subject: { reference: 'Patient/p2' } };

  test.each<[unknown, number, number, number]>([
    // With a link by a document of the patient: all types, documents alone, Binary alone.
    [{ reference: 'Patient/p1' }, 200, 200, 200],
    [{ reference: '<server>/Patient/p1' }, 200, 200, 200],
    [{ reference: '<gateway>/Patient/p1' }, 200, 200, 200],
    [{ reference: 'https://fhir.example/r4/Patient/p1' }, 200, 200, 200],
    [{ reference: 'https://fhir.example/r4/Patient/p2' }, 404, 404, 404],
    [{ reference: 'Patient/p1/_history/1' }, 200, 200, 200],
    [{ reference: 'Patient/p2' }, 404, 404, 404],
    [{ reference: '<server>/Patient/p2' }, 404, 404, 404],
    [{ reference: 'http://elsewhere/Patient/p1' }, 404, 404, 404],
    [{ reference: 'Encounter/e1' }, 200, 200, 404],
    [{ reference: 'Encounter/e2' }, 404, 404, 404],
    [{ reference: 'Encounter/none' }, 404, 404, 404],
    [{ reference: 'DocumentReference/d1' }, 200, 200, 404],
    [{ reference: 'DocumentReference/d2' }, 404, 404, 404],
    [{ reference: 'Organization/o1' }, 200, 200, 404],
    [{ reference: 'Binary/b1' }, 404, 404, 404],
    [{ reference: 'Library/l1' }, 404, 404, 404],
    [{ reference: '#p1' }, 404, 404, 404],
    [{ reference: 'urn:uuid:6b4d3f36-7b2f-4c0d-9f3e-3b0c1d7c1a11' }, 404, 404, 404],
    [{ reference: '/Patient/p1' }, 404, 404, 404],
    [{ reference: 7 }, 404, 404, 404],
    [{ identifier: { value: 'p1' } }, 404, 404, 404],
    [{ display: 'p1' }, 404, 404, 404],
    [{}, 404, 404, 404],
    [null, 404, 404, 404],
    ['Patient/p1', 404, 404, 404],
    [[{ reference: 'Patient/p1' }], 200, 200, 200],
    [[{ reference: 'Patient/p1' }, { reference: 'Patient/p2' }], 404, 404, 404],
  ])('%j decides over a link: %s %s %s', async (context, ...expected) => {
    const written = JSON.stringify(context).replace('<server>', server.url).replace('<gateway>', gateway.base);
    store(securityContext(JSON.parse(written)));
    linked();
    server.resources.push(own, others, document('p2', 'Binary/b1', note, 'd2'));
    const statuses: number[] = [];
    for (const scope of all) statuses.push(await open(token(scope)));
    expect(statuses).toEqual(expected);
  });

  test.each<[string, string, number]>([
    ['Patient/p1', 'patient/*.rs', 200],
    ['Patient/p1', 'patient/Binary.r', 200],
    ['Patient/p1', 'patient/Patient.rs', 403],
    ['Patient/p1', 'patient/DocumentReference.rs', 404],
    ['Patient/p1', `patient/*.rs?category=${note}`, 404],
    ['Encounter/e1', 'patient/*.rs', 200],
    ['Encounter/e1', 'patient/Binary.r patient/Encounter.r', 200],
    ['Encounter/e1', 'patient/Binary.r', 404],
    ['Encounter/e1', 'patient/Encounter.rs', 403],
    ['Encounter/e1', 'patient/Encounter.rs patient/DocumentReference.rs', 404],
    ['DocumentReference/d1', 'patient/*.rs', 200],
    ['DocumentReference/d1', 'patient/DocumentReference.r', 200],
    ['DocumentReference/d1', `patient/DocumentReference.r?category=${note}`, 200],
    ['DocumentReference/d1', 'patient/DocumentReference.r?category=other', 404],
    ['DocumentReference/d1', 'patient/DocumentReference.r?category=other patient/Binary.r', 404],
    ['DocumentReference/d1', 'patient/Media.r patient/Binary.r', 404],
    ['Organization/o1', 'patient/*.rs', 404],
  ])('%s opens it without a link under %s: %s', async (reference, scope, status) => {
    store(securityContext({ reference }));
    server.resources = [own, document('p1', 'Binary/x')];
    expect(await open(token(scope))).toBe(status);
    expect(await open(ofUser(scope.replaceAll('patient/', 'user/')))).toBe(status);
  });

  test.each<BinaryForms>(['both', 'json', 'json or 406', 'content', 'apart'])(
    'is found on a server that has %s',
    async (forms) => {
      server.forms = forms;
      linked();
      expect(await open(token('patient/*.rs'))).toBe(200);
      store(securityContext({ reference: 'Patient/p2' }));
      expect(await open(token('patient/*.rs'))).toBe(404);
      store(securityContext({ reference: 'Patient/p1' }));
      expect(await open(token('patient/Binary.r'))).toBe(200);
    },
  );
});

describe('an earlier version of a Binary', () => {
  const old = (more: object = {}) =>
    server.binaries.set('b1/_history/1', {
      id: 'b1',
      meta: { versionId: '1' },
      contentType: 'text/plain',
      data: '',
      ...more,
    });
  const reader = () => token('patient/*.rs');

  test('is opened by a link to that version, or by its own security context', async () => {
    old();
    linked('p1', 'Binary/b1');
    expect(await open(reader(), '/Binary/b1/_history/1')).toBe(404);
    linked('p1', `${gateway.base}/Binary/b1/_history/1`);
    expect(await open(reader(), '/Binary/b1/_history/1')).toBe(200);
    server.resources = [];
    old(securityContext({ reference: 'Patient/p1' }));
    expect([await open(reader(), '/Binary/b1/_history/1'), await open(reader())]).toEqual([200, 404]);
    old(securityContext({ reference: 'Patient/p2' }));
    linked('p1', 'Binary/b1/_history/1');
    expect(await open(reader(), '/Binary/b1/_history/1')).toBe(404);
  });

  test('is opened by a link without a version if it is the current one', async () => {
    old();
    store({ meta: { versionId: '1' } });
    linked();
    expect(await open(reader(), '/Binary/b1/_history/1')).toBe(200);
  });
});

describe('a token', () => {
  const practitioner = (scope: string) => token(scope, { fhirUser: `${gateway.base}/Practitioner/d1`, patient: 'p1' });

  test.each([
    ['user/DocumentReference.rs', 403, 'user/Binary.r'],
    ['user/Binary.s user/DocumentReference.rs', 403, 'user/Binary.r'],
    ['patient/Observation.rs', 403, 'patient/Binary.r'],
    ['patient/DocumentReference.s', 403, 'patient/Binary.r'],
    ['patient/DocumentReference.cud', 403, 'patient/Binary.r'],
  ])('of a practitioner with %s gets %s that names %s', async (scope, status, named) => {
    linked();
    const answer = await refusalIn(await gateway.fetch('/Binary/b1', practitioner(scope)));
    expect([answer.status, answer.text.includes(named) || scope.startsWith('user')]).toEqual([status, true]);
  });

  test('of a practitioner opens the documents of a patient by a patient’s scope, and all by one for Binary', async () => {
    linked();
    store({}, 'b2');
    expect(await open(practitioner('patient/DocumentReference.rs'))).toBe(200);
    expect(await open(practitioner('patient/DocumentReference.rs'), '/Binary/b2')).toBe(404);
    expect(await open(practitioner('user/Binary.r'), '/Binary/b2')).toBe(200);
  });

  test('of a patient neither searches Binary nor reads its history or trims it', async () => {
    store(securityContext({ reference: 'Patient/p1' }));
    for (const path of [
      '/Binary',
      '/Binary?_id=b1',
      '/Binary/b1/_history',
      '/Binary/_history',
      '/Binary/b1?_summary=true',
    ]) {
      expect([path, await open(token('patient/*.rs'), path, 'application/fhir+json')]).toEqual([path, 403]);
    }
  });

  test('of a patient asks the server for nothing but the Binary and the types of its scopes', async () => {
    linked('p2');
    await open(token('patient/DocumentReference.rs patient/Observation.rs'));
    const paths = server.requests.map(({ url }) => url.replace(/[?&]_count=\d+/, ''));
    expect(new Set(paths)).toEqual(
      new Set(['/r4/Binary/b1', '/r4/DocumentReference?patient=Patient%2Fp1', '/r4/Binary/none']),
    );
  });

  test('of a patient cannot run an operation on a Binary', async () => {
    const reader = token('patient/*.cruds patient/Binary.$binary-access-read');
    const answer = await gateway.fetch('/Binary/b1/$binary-access-read?path=Binary', reader);
    expect([403, 404]).toContain(answer.status);
  });
});
