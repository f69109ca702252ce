import { gzipSync } from 'node:zlib';
import { DialectGateway } from '../../support/fhir/dialect-gateway.js';
import { dialect } from '../../support/fhir/dialects.js';
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
    expect([response.status, response.headers.get('content-type'), response.headers.get('content-encoding')]).toEqual([
      200,
      'application/fhir+ndjson',
      null,
    ]);
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
