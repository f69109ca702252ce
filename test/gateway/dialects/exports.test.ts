import { gzipSync } from 'node:zlib';
import { DialectGateway, type TokenKind } from '../../support/fhir/dialect-gateway.js';
import { dialect, dialects } from '../../support/fhir/dialects.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

const server = useScriptedServer();
const lines = '{"resourceType":"Patient","id":"a"}\n{"resourceType":"Patient","id":"b"}\n';

/** The file of an export that the server answers with these headers. */
async function fileOf(body: string | Buffer, headers: Record<string, string>): Promise<Response> {
  const { gateway, systemToken, upstream } = server;
  server.behave = ({ url = '' }, response) => {
    if (url === '/r4/file') response.writeHead(200, headers).end(body);
    else if (url === '/r4/job') sendFhir(response, { output: [{ type: 'Patient', url: `${upstream.url}/file` }] });
    else response.writeHead(202, { 'Content-Location': `${upstream.url}/job` }).end();
  };
  const below = (url: string | null) => String(url).slice(gateway.base.length);
  const begun = await gateway.fetch('/$export', systemToken);
  const job = await gateway.fetch(below(begun.headers.get('content-location')), systemToken);
  const { output } = (await job.json()) as { output: { url: string }[] };
  return gateway.fetch(below(output[0]?.url ?? ''), systemToken);
}

describe('A file of an export', () => {
  it.each<[string, string | Buffer, Record<string, string>]>([
    ['in NDJSON', lines, { 'Content-Type': 'application/fhir+ndjson' }],
    ['by an older name of NDJSON', lines, { 'Content-Type': 'Application/X-NDJSON; charset=utf-8' }],
    ['that storage knows as octets', lines, { 'Content-Type': 'application/octet-stream' }],
    [
      'that is compressed unasked',
      gzipSync(lines),
      { 'Content-Type': 'application/fhir+ndjson', 'Content-Encoding': 'gzip' },
    ],
    ['that is packed', gzipSync(lines), { 'Content-Type': 'application/gzip' }],
    [
      'that is packed and compressed',
      gzipSync(gzipSync(lines)),
      { 'Content-Type': 'application/x-gzip', 'Content-Encoding': 'gzip' },
    ],
  ])('%s is passed on as NDJSON', async (_what, body, headers) => {
    const response = await fileOf(body, headers);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/fhir+ndjson']);
    expect(await response.text()).toBe(lines);
  });

  it('that is an error page is refused', async () => {
    expect((await fileOf('<html>', { 'Content-Type': 'text/html' })).status).toBe(502);
  });
});

describe('The start of an export', () => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(dialect('HAPI'));
  });
  afterAll(() => gateway.close());

  const practitioner = { fhirUser: 'Practitioner/dr' };
  const patient = { patient: 'a', fhirUser: 'Patient/a' };
  it.each<[string, { fhirUser?: string; patient?: string }, string, string | undefined]>([
    ['system/*.rs', {}, 'all', undefined],
    ['system/*.cruds', {}, 'all', undefined],
    ['system/*.r system/*.s', {}, 'all', undefined],
    ['system/*.$export system/*.rs', {}, 'all', undefined],
    ['user/*.rs', practitioner, 'none', 'user/*.$export'],
    ['user/*.cruds', practitioner, 'none', 'user/*.$export'],
    ['user/*.rs user/*.$everything', practitioner, 'none', 'user/*.$export'],
    ['user/*.rs user/*.$export', practitioner, 'all', undefined],
    ['user/*.rs user/Group.$export', practitioner, '/Group/ward/$export', 'user/*.$export'],
    ['user/*.$export', practitioner, 'none', 'user/*.rs'],
    ['user/*.rs user/*.$export', patient, 'none', 'user/*.$export'],
    ['patient/*.rs', patient, 'none', 'user/*.$export'],
    ['patient/*.rs patient/*.$export', patient, 'none', 'user/*.$export'],
    ['system/Patient.rs system/Observation.rs', {}, 'none', 'system/*.rs'],
    ['system/*.r', {}, 'none', 'system/*.rs'],
    ['system/*.rs?category=laboratory', {}, 'none', 'system/*.rs'],
  ])('with the scopes %s of %j is permitted for %s', async (scope, { fhirUser, patient }, permitted, needed) => {
    const token = gateway.gateway.tokenFor(scope, {
      ...(patient !== undefined && { patient }),
      ...(fhirUser !== undefined && { fhirUser: `${gateway.gateway.base}/${fhirUser}` }),
    });
    for (const path of ['/$export', '/Patient/$export', '/Group/ward/$export']) {
      const response = await gateway.gateway.fetch(path, token, { headers: { prefer: 'respond-async' } });
      const isPermitted = permitted === 'all' || permitted === path;
      expect([path, response.status]).toEqual([path, isPermitted ? 202 : 403]);
      if (!isPermitted) expect(response.headers.get('www-authenticate')).toContain(`scope="${needed}"`);
    }
  });
});

type Manifest = Record<'output' | 'error', { type: string; url: string }[]>;

/** The export of a server that keeps its files in a store. */
class StoredExport {
  constructor(readonly gateway: DialectGateway) {}

  follow(url: string, kind: TokenKind = 'everything', init: RequestInit = {}): Promise<Response> {
    return this.gateway.fetch(url.slice(this.gateway.gateway.base.length), kind, init);
  }

  async manifest(): Promise<Manifest> {
    const begun = await this.gateway.fetch('/$export', 'everything', { headers: { prefer: 'respond-async' } });
    const job = begun.headers.get('content-location') ?? '';
    await this.follow(job);
    const done = await this.follow(job);
    expect(done.status).toBe(200);
    return (await done.json()) as Manifest;
  }
}

const rowsWithStore = dialects
  .filter(({ exportFiles }) => exportFiles === 'store')
  .map((one) => [one.name, one] as const);

describe.each(rowsWithStore)('The files of an export of %s, in a store', (_name, row) => {
  let open: StoredExport;
  let closed: StoredExport;
  beforeAll(async () => {
    const storeOf = ({ alias }: { alias: string }) => ({ exportStores: [new URL(alias).origin] });
    const credentials = { credentials: { type: 'basic', username: 'portal', password: 'secret' } };
    open = new StoredExport(
      await DialectGateway.start(row, (server) => ({ ...storeOf(server), ...credentials }), {
        outbound: { allowedPrivateHosts: ['localhost'] },
      }),
    );
    closed = new StoredExport(await DialectGateway.start(row));
  });
  afterAll(() => Promise.all([open.gateway.close(), closed.gateway.close()]));

  it('are fetched for the app that began it, without the portal’s credentials', async () => {
    const { output, error } = await open.manifest();
    expect([output.map(({ type }) => type), error]).toEqual([['Patient', 'Observation', 'Practitioner'], []]);
    open.gateway.server.requests.length = 0;
    for (const { type, url } of output) {
      const file = await open.follow(url, 'everything', { headers: { accept: 'application/fhir+ndjson' } });
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/fhir+ndjson']);
      const types = (await file.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).resourceType);
      expect(new Set(types)).toEqual(new Set([type]));
      expect((await open.follow(url, 'service')).status).toBe(403);
    }
    const sent = open.gateway.server.requests.map(({ url, headers }) => [url.split('/')[1], headers.authorization]);
    expect(sent).toEqual(output.map(() => ['store', undefined]));
  });

  it('are told by name as errors where the store is not known, and the rest of the list is given', async () => {
    const { output, error } = await closed.manifest();
    expect([output, error.map(({ type }) => type)]).toEqual([[], ['OperationOutcome']]);
    const told = await closed.follow(error[0]?.url ?? '');
    expect([told.status, told.headers.get('content-type')]).toEqual([200, 'application/fhir+ndjson']);
    const text = await told.text();
    const words = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).issue[0].diagnostics as string);
    expect(words.map((line) => /^The file (\S+ of \w+) is kept/.exec(line)?.[1])).toEqual([
      'Patient.ndjson of Patient',
      'Observation.ndjson of Observation',
      'Practitioner.ndjson of Practitioner',
    ]);
    expect(text).not.toContain('localhost');
    expect((await closed.follow(error[0]?.url ?? '', 'service')).status).toBe(403);
  });
});

describe('A store of exports', () => {
  let other: Upstream;
  let answer: [number, Record<string, string>, string];
  const listed: string[] = [];
  const start = async (outbound: object) => {
    const gateway = await DialectGateway.start(
      dialect('Google'),
      { exportStores: [new URL(other.url).origin] },
      { outbound },
    );
    // The server lists whatever the test wants.
    gateway.server.listed = listed;
    return new StoredExport(gateway);
  };
  let stored: StoredExport;
  beforeAll(async () => {
    other = await startUpstream((_request, response) => {
      response.writeHead(answer[0], answer[1]).end(answer[2]);
    });
    stored = await start({ allowedPrivateHosts: ['127.0.0.1'] });
  });
  afterAll(async () => {
    await stored.gateway.close();
    other.close();
  });
  beforeEach(() => {
    other.requests.length = 0;
    listed.length = 0;
    answer = [200, { 'Content-Type': 'application/octet-stream' }, lines];
  });
  const origin = () => new URL(other.url).origin;

  it('is asked for the address as the server signed it', async () => {
    listed.push(`${origin()}/bucket/a%20b.ndjson?X-Amz-Signature=a%2Bb&se=2026`);
    const { output } = await stored.manifest();
    expect(await (await stored.follow(output[0]?.url ?? '')).text()).toBe(lines);
    expect(other.requests.map(({ method, url }) => [method, url])).toEqual([
      ['GET', '/bucket/a%20b.ndjson?X-Amz-Signature=a%2Bb&se=2026'],
    ]);
    expect(output[0]?.url).not.toContain('Amz');
  });

  it.each<[string, typeof answer]>([
    ['redirects', [302, { Location: 'http://169.254.169.254/' }, '']],
    ['refuses', [403, { 'Content-Type': 'application/xml' }, '<Error/>']],
    ['answers a page', [200, { 'Content-Type': 'text/html' }, '<html>']],
  ])('that %s gets a refusal of its file, and no further request', async (_what, given) => {
    answer = given;
    listed.push(`${origin()}/f.ndjson`);
    const { output } = await stored.manifest();
    expect((await stored.follow(output[0]?.url ?? '')).status).toBe(502);
    expect(other.requests).toHaveLength(1);
  });

  it('is not asked at a private address that the portal may not reach', async () => {
    const guarded = await start({});
    try {
      listed.push(`${origin()}/f.ndjson`);
      const { output } = await guarded.manifest();
      expect((await guarded.follow(output[0]?.url ?? '')).status).toBe(502);
      expect(other.requests).toEqual([]);
    } finally {
      await guarded.gateway.close();
    }
  });

  it('has no file at another origin, with a user, with a fragment or of another scheme', async () => {
    const { port, host } = new URL(other.url);
    listed.push(
      ...['http://evil.example/f', `http://localhost:${port}/f`, `https://${host}/f`, `http://u:p@${host}/f`],
      ...[`http://${host}/f#x`, `http://${host}.evil.example/f`, 'gs://bucket/f', 's3://bucket/f', '', 'file:///etc/f'],
    );
    const { output, error } = await stored.manifest();
    expect([output, error]).toHaveLength(2);
    expect(output).toEqual([]);
    const told = await (await stored.follow(error[0]?.url ?? '')).text();
    expect(told.trim().split('\n')).toHaveLength(10);
  });

  it('has more lost files than are named', async () => {
    for (let index = 0; index < 2_000; index += 1)
      listed.push(`http://evil.example/${'x'.repeat(200)}-${index}.ndjson`);
    const { error } = await stored.manifest();
    const told = await stored.follow(error[0]?.url ?? '');
    const words = (await told.text()).trim().split('\n');
    expect([told.status, words.length, words.at(-1)]).toEqual([200, 31, expect.stringContaining('1970 further files')]);
  });
});
