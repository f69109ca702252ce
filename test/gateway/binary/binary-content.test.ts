import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import {
  type BinaryForms,
  type DocumentServer,
  type StoredBinary,
  startDocumentServer,
} from '../../support/fhir/document-server.js';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { refusalIn } from '../../support/fhir/scripted-server.js';

const pdf = Buffer.from('%PDF-1.7 a report \xff\x00\x80', 'latin1');
const ofPatient = { securityContext: { reference: 'Patient/p1' } };
const stored = (more: Partial<StoredBinary> = {}): StoredBinary => ({
  id: 'b1',
  meta: { versionId: '3' },
  contentType: 'application/pdf',
  ...ofPatient,
  data: pdf.toString('base64'),
  ...more,
});

let server: DocumentServer;
let gateway: TestGateway;
let tokens: Record<string, string>;

beforeAll(async () => {
  server = await startDocumentServer();
  gateway = await startGateway(server.url);
  await gateway.loadCapabilities();
  const practitioner = { fhirUser: `${gateway.base}/Practitioner/d1` };
  tokens = {
    'a service': gateway.tokenFor('system/*.rs'),
    'a service of this type': gateway.tokenFor('system/Binary.r'),
    'a practitioner': gateway.tokenFor('user/*.rs', practitioner),
    'a practitioner with a patient': gateway.tokenFor('user/Binary.read patient/*.rs', {
      ...practitioner,
      patient: 'p2',
    }),
    'a patient': gateway.tokenFor('patient/*.rs', { patient: 'p1' }),
    'a user who is a patient': gateway.tokenFor('user/*.rs', { fhirUser: `${gateway.base}/Patient/p1` }),
  };
});

beforeEach(() => {
  server.forms = 'both';
  server.print = (binary) => JSON.stringify({ resourceType: 'Binary', ...binary });
  server.resources = [];
  server.requests.length = 0;
  server.binaries.clear();
  server.binaries.set('b1', stored());
  gateway.audit.taken();
});

afterAll(async () => {
  await gateway.close();
  server.close();
});

const kinds = [
  'a service',
  'a service of this type',
  'a practitioner',
  'a practitioner with a patient',
  'a patient',
  'a user who is a patient',
];
const forms: BinaryForms[] = ['both', 'json', 'json or 406', 'content', 'apart'];

/** `fetch` always sends an `Accept` header. */
const read = (token: string | undefined, accept?: string, more: Record<string, string> = {}, path = '/Binary/b1') =>
  new Promise<{ status: number; headers: Record<string, string | undefined>; body: Buffer; isWhole: boolean }>(
    (resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, ...(accept !== undefined && { accept }), ...more };
      const sent = httpRequest(gateway.base + path, { headers }, (response) => {
        const chunks: Buffer[] = [];
        const end = (isWhole: boolean) =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body: Buffer.concat(chunks),
            isWhole,
          });
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => end(true));
        response.on('error', () => end(false));
      });
      sent.on('error', reject).end();
    },
  );

describe.each(forms)('a Binary of a server that has %s', (form) => {
  beforeEach(() => {
    server.forms = form;
  });

  test.each(kinds)('is answered in its own type to %s', async (kind) => {
    for (const accept of [
      'application/pdf',
      '*/*',
      'application/*',
      undefined,
      '',
      'image/png,image/*;q=0.8,*/*;q=0.5',
      'application/pdf, application/fhir+json;q=0.1',
    ]) {
      const answer = await read(tokens[kind], accept);
      expect([accept, answer.status, answer.headers['content-type']]).toEqual([accept, 200, 'application/pdf']);
      expect(answer.body).toEqual(pdf);
      expect(answer.headers).toMatchObject({
        'content-disposition': 'attachment; filename="document-b1.pdf"',
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        etag: 'W/"3"',
      });
    }
  });

  test.each(kinds)('is 406 to %s if its type is not accepted', async (kind) => {
    for (const accept of ['image/png', 'text/html', 'application/pdf;q=0, */*', 'application/fhir+xml', 'nonsense']) {
      const answer = await read(tokens[kind], accept);
      expect([accept, answer.status, JSON.parse(answer.body.toString()).resourceType]).toEqual([
        accept,
        406,
        'OperationOutcome',
      ]);
    }
  });

  test.each(kinds)('answers HEAD and a version that is known to %s', async (kind) => {
    const headers = { authorization: `Bearer ${tokens[kind]}` };
    const head = await gateway.fetch('/Binary/b1', undefined, { method: 'HEAD', headers });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'application/pdf', '']);
    const known = await read(tokens[kind], '*/*', { 'if-none-match': 'W/"3"' });
    expect([known.status, known.headers.etag, known.body.length]).toEqual([304, 'W/"3"', 0]);
    expect((await read(tokens[kind], '*/*', { 'if-none-match': 'W/"2"' })).status).toBe(200);
  });
});

describe.each(forms.filter((form) => form !== 'content'))('the resource of a server that has %s', (form) => {
  beforeEach(() => {
    server.forms = form;
  });

  test.each(kinds)('is answered to %s where FHIR JSON is asked for', async (kind) => {
    for (const [accept, query = ''] of [
      ['application/fhir+json'],
      ['application/json'],
      ['application/json, text/plain, */*'],
      ['application/fhir+json;fhirVersion=4.0, image/*;q=0.5'],
      ['application/pdf;q=0.2, application/fhir+json'],
      ['image/png, application/fhir+json;q=0.5'],
      ['application/pdf', '?_format=json'],
    ] as const) {
      const answer = await read(tokens[kind], accept, {}, `/Binary/b1${query}`);
      const { data, ...rest } = stored();
      expect([accept, answer.status, answer.headers['content-type']]).toEqual([
        accept,
        200,
        'application/fhir+json; charset=utf-8',
      ]);
      expect(JSON.parse(answer.body.toString())).toEqual({
        resourceType: 'Binary',
        ...rest,
        ...(form !== 'apart' && { data }),
      });
      expect(answer.headers['content-disposition']).toBeUndefined();
    }
  });
});

describe('the content of a Binary', () => {
  const only = (...names: string[]) => Object.entries(tokens).filter(([kind]) => names.includes(kind));

  test.each(kinds)('is passed on to %s byte for byte, also if it is large', async (kind) => {
    const bytes = randomBytes(3_000_000);
    server.binaries.set('b1', stored({ data: bytes.toString('base64') }));
    for (const form of forms) {
      server.forms = form;
      const answer = await read(tokens[kind], '*/*');
      expect([form, answer.status, answer.body.equals(bytes)]).toEqual([form, 200, true]);
    }
  });

  test.each([
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8', '.txt'],
    ['IMAGE/PNG', 'IMAGE/PNG', '.png'],
    ['text/html', 'text/html', ''],
    ['image/svg+xml', 'image/svg+xml', ''],
    ['application/hl7-cda+xml', 'application/hl7-cda+xml', ''],
    [undefined, 'application/octet-stream', ''],
    ['pdf', 'application/octet-stream', ''],
    ['text/html\u0000x', 'application/octet-stream', ''],
    ['text/plain\r\nSet-Cookie: a=b', 'application/octet-stream', ''],
    [`text/${'x'.repeat(300)}`, 'application/octet-stream', ''],
  ])('of the type %j leaves as %s', async (contentType, expected, extension) => {
    server.forms = 'json';
    server.binaries.set('b1', stored({ contentType: contentType as string }));
    for (const token of [tokens['a service'], tokens['a patient']]) {
      const answer = await read(token, '*/*');
      expect(answer.headers).toMatchObject({
        'content-type': expected,
        'content-disposition': `attachment; filename="document-b1${extension}"`,
        'content-security-policy': "default-src 'none'; sandbox",
      });
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.body).toEqual(pdf);
    }
  });

  test('has a file name that is made of the id alone', async () => {
    server.binaries.set('x.exe', stored({ id: 'x.exe' }));
    const answer = await read(tokens['a service'], '*/*', {}, '/Binary/x.exe');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="document-x-exe.pdf"');
  });

  test('may be JSON itself, of FHIR or not', async () => {
    for (const [contentType, text] of [
      ['application/json', '[1, {"resourceType": "Binary"}]'],
      ['application/json', '{"data": "x", "a": 1}'],
      ['application/fhir+json', '{"resourceType":"Bundle","type":"document"}'],
      ['application/json', 'no JSON'],
    ] as const) {
      server.binaries.set('b1', stored({ contentType, data: Buffer.from(text).toString('base64') }));
      for (const form of forms) {
        server.forms = form;
        for (const [kind, token] of only('a service', 'a patient')) {
          if (form === 'content' && kind === 'a patient') continue;
          const answer = await read(token, '*/*');
          expect([form, kind, answer.status, answer.headers['content-type'], answer.body.toString()]).toEqual([
            form,
            kind,
            200,
            contentType,
            text,
          ]);
        }
      }
    }
  });

  test.each([
    ['empty', ''],
    ['broken into lines', `${pdf.toString('base64').slice(0, 8)}\r\n ${pdf.toString('base64').slice(8)}\n`],
  ])('may be %s', async (_, data) => {
    server.forms = 'json';
    server.binaries.set('b1', stored({ data }));
    for (const [, token] of only('a service', 'a patient')) {
      const answer = await read(token, '*/*');
      expect([answer.status, answer.body]).toEqual([200, data === '' ? Buffer.alloc(0) : pdf]);
    }
  });

  test('may stand before everything else, with escapes, and in no order', async () => {
    server.forms = 'json';
    const bytes = randomBytes(1_500_000);
    const data = bytes.toString('base64').replaceAll('/', '\\/').replaceAll('+', '\\u002b');
    const { data: _, ...rest } = stored();
    server.print = () =>
      `{"id":"b1", "data" :\n"${data}",${JSON.stringify({ ...rest, resourceType: 'Binary' }).slice(1)}`;
    for (const [, token] of only('a service', 'a patient')) {
      const answer = await read(token, 'application/pdf');
      expect([answer.status, answer.headers['content-type'], answer.body.equals(bytes)]).toEqual([
        200,
        'application/pdf',
        true,
      ]);
    }
  });

  test.each([
    ['no base64', 'AAAA$AAA'],
    ['cut off', 'AAAAA'],
    ['padded in the middle', 'AA==AAAA'],
  ])('that is %s is 502, or breaks off', async (_, data) => {
    server.forms = 'json';
    const long = randomBytes(600_000).toString('base64');
    for (const [, token] of only('a service', 'a patient')) {
      server.binaries.set('b1', stored({ data }));
      expect((await read(token, '*/*')).status).toBe(502);
      server.binaries.set('b1', stored({ data: long + data }));
      expect((await read(token, '*/*')).isWhole).toBe(false);
    }
  });

  test.each([
    ['ends amid it', '{"resourceType":"Binary","id":"b1","contentType":"text/plain","data":"AAAA'],
    ['has it twice', '{"resourceType":"Binary","id":"b1","contentType":"text/plain","data":"AAAA","data":"BBBB"}'],
    ['ends after it', '{"resourceType":"Binary","id":"b1","contentType":"text/plain","data":"AAAA"'],
  ])('of an answer that %s is 502', async (_, text) => {
    server.forms = 'json';
    server.print = () => text;
    for (const [, token] of only('a service', 'a patient')) expect((await read(token, 'text/plain')).status).toBe(502);
  });

  test('is answered whole to a request for a range', async () => {
    for (const [, token] of only('a service', 'a patient')) {
      const answer = await read(token, '*/*', { range: 'bytes=0-3' });
      expect([answer.status, answer.body, answer.headers['content-range']]).toEqual([200, pdf, undefined]);
    }
    expect(server.requests.map(({ headers }) => headers.range)).toEqual(server.requests.map(() => undefined));
  });

  test('is a resource in a batch', async () => {
    const entry = [{ request: { method: 'GET', url: 'Binary/b1' } }];
    for (const [, token] of only('a service', 'a patient')) {
      const answer = await gateway.fetch('/', token, {
        method: 'POST',
        headers: { 'content-type': 'application/fhir+json' },
        body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
      });
      const { entry: answered } = (await answer.json()) as { entry: { resource: unknown }[] };
      expect(answered[0]?.resource).toEqual({ resourceType: 'Binary', ...stored() });
    }
  });

  test('is recorded with the patient whose it is', async () => {
    server.forms = 'content';
    for (const [, token] of only('a service', 'a patient')) {
      await read(token, '*/*');
      expect(gateway.audit.taken()).toMatchObject([
        { resource: 'Binary/b1', status: 200, patients: ['p1'], seen: [{ Binary: 1 }] },
      ]);
    }
  });
});

test('only a Binary has another form than JSON', async () => {
  server.resources = [{ resourceType: 'Observation', id: 'o1', subject: { reference: 'Patient/p1' } }];
  for (const path of ['/Observation/o1', '/Binary', '/Binary/b1/_history']) {
    const answer = await gateway.fetch(path, tokens['a service'], { headers: { accept: 'application/pdf' } });
    expect((await refusalIn(answer)).status).toBe(406);
  }
});
