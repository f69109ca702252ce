import type { App, AppRequest } from './app.js';
import type { View } from './view.js';

const xml = { accept: 'application/fhir+xml' };

/** A read by each of these paths and headers is a read of this resource. */
function read(name: string, path: string, address = path, headers?: Record<string, string>): AppRequest {
  const [, type = '', id = ''] = address.split('/');
  return {
    name,
    ask: async (app) => (headers ? app.told(await app.withHeaders(path, headers)) : app.get(path)),
    expected: (view) => view.read(type, id),
  };
}

/** The same status for every token. */
function always(name: string, status: number, ask: (app: App) => Promise<Response>): AppRequest {
  return { name, ask: async (app) => app.told(await ask(app)), expected: () => String(status) };
}

const plain: AppRequest[] = [
  read('the own patient', '/Patient/a'),
  read('another patient', '/Patient/b'),
  read('a laboratory result', '/Observation/a-obs-1'),
  read('a vital sign', '/Observation/a-obs-5'),
  read('a result of another patient', '/Observation/b-obs-1'),
  read('what does not exist', '/Observation/none'),
  read('an encounter', '/Encounter/a-enc'),
  read('a condition', '/Condition/a-con'),
  read('a condition of another patient', '/Condition/b-con'),
  read('an allergy', '/AllergyIntolerance/a-all'),
  read('a report', '/DiagnosticReport/a-rep'),
  read('a medication', '/Medication/pill'),
  read('a practitioner', '/Practitioner/dr'),
  read('an organization', '/Organization/hospital'),
  read('an appointment of two', '/Appointment/both'),
  read('a group of two', '/Group/ward'),
  read('an audit event about two', '/AuditEvent/audit'),
  read('a list', '/List/list'),
  read('where a result comes from', '/Provenance/a-pro'),
  read('where a result of another comes from', '/Provenance/b-pro'),
];

const forms: AppRequest[] = [
  read('JSON asked for by _format, XML by Accept', '/Patient/a?_format=json', '/Patient/a', xml),
  read('_format with parameters', '/Patient/a?_format=application%2Fjson%3Bcharset%3Dutf-8', '/Patient/a', xml),
  read('_pretty', '/Patient/a?_pretty=true', '/Patient/a'),
  read('application/json', '/Patient/a', '/Patient/a', { accept: 'application/json' }),
  read('JSON before XML', '/Patient/a', '/Patient/a', { accept: 'application/fhir+xml;q=0.5, application/fhir+json' }),
  read('some elements', '/Observation/a-obs-1?_elements=code,status', '/Observation/a-obs-1'),
  read('some elements of another patient', '/Observation/b-obs-1?_elements=code', '/Observation/b-obs-1'),
  read('a summary', '/Observation/a-obs-1?_summary=true', '/Observation/a-obs-1'),
  read('the text', '/Observation/b-obs-1?_summary=text', '/Observation/b-obs-1'),
  always('XML', 406, (app) => app.withHeaders('/Patient/a', xml)),
  always('XML by _format', 406, (app) => app.fetch('/Patient/a?_format=xml')),
  always('a method by a header', 400, (app) => app.withHeaders('/Patient/a', { 'x-http-method-override': 'DELETE' })),
  always('a type that the server lacks', 404, (app) => app.fetch('/Basic/x')),
  always('an address with an escape', 400, (app) => app.fetch('/Patient/%61')),
  always('an address below a resource that means nothing', 400, (app) => app.fetch('/Patient/a/name')),
  always('a resource type in small letters', 400, (app) => app.fetch('/patient/a')),
  always('an unknown method', 405, (app) => app.fetch('/Patient/a', { method: 'PROPFIND' })),
  always('a read by POST', 405, (app) => app.fetch('/Patient/a', { method: 'POST' })),
];

const hasVersion = (app: App) => app.dialect.versions;

/** The version that is current, read by its own address. */
function version(name: string, address: string): AppRequest {
  const [, type = '', id = ''] = address.split('/');
  return {
    name,
    ask: async (app) => (hasVersion(app) ? app.get(`${address}/_history/1`) : 'no versions'),
    expected: (view, { versions }) => (versions ? view.read(type, id) : 'no versions'),
  };
}

function history(name: string, address: string): AppRequest {
  return { ...version(name, address), ask: (app) => historyOf(app, address) };
}

async function historyOf(app: App, address: string): Promise<string> {
  return hasVersion(app) ? app.get(`${address}/_history`) : 'no versions';
}

/** The status of a request with HEAD is that of one with GET, and there is no body. */
async function headOf(app: App, path: string): Promise<string> {
  const response = await app.fetch(path, { method: 'HEAD' });
  const text = await app.checkedText(response);
  return `${response.status}${text === '' ? '' : ' !body'}`;
}

const versions: AppRequest[] = [
  version('a version', '/Observation/a-obs-1'),
  version('a version of another patient', '/Observation/b-obs-1'),
  history('the history of a result', '/Observation/a-obs-1'),
  history('the history of a result of another patient', '/Observation/b-obs-1'),
  {
    name: 'the history of a type',
    ask: async (app) => (await app.get('/Observation/_history')).slice(0, 3),
    // The stub has none.
    expected: (view) => (view.isLimited ? '403' : '404'),
  },
  {
    name: 'what is known already',
    async ask(app) {
      const tag = (await app.fetch('/Observation/a-obs-1')).headers.get('etag');
      if (tag === null) return 'no versions';
      const again = await app.withHeaders('/Observation/a-obs-1', { 'if-none-match': tag });
      return `${again.status} ${await again.text()}`.trim();
    },
    expected: (_view, { versions }) => (versions ? '304' : 'no versions'),
  },
  {
    name: 'what is known of another patient',
    async ask(app) {
      const response = await app.withHeaders('/Observation/b-obs-1', { 'if-none-match': 'W/"1"' });
      return String(response.status);
    },
    expected: (view, { versions }) => (view.isLimited ? '404' : versions ? '304' : '200'),
  },
  {
    name: 'HEAD',
    ask: (app) => headOf(app, '/Observation/a-obs-1'),
    expected: (view) => view.read('Observation', 'a-obs-1').slice(0, 3),
  },
  {
    name: 'HEAD of another patient',
    ask: (app) => headOf(app, '/Observation/b-obs-1'),
    expected: (view) => view.read('Observation', 'b-obs-1').slice(0, 3),
  },
];

const withoutToken: AppRequest[] = [
  {
    name: 'a request without a token',
    async ask(app) {
      const response = await app.fetchOpen('/Patient/a');
      return `${await app.told(response)} ${response.headers.get('www-authenticate')?.slice(0, 6)}`;
    },
    expected: () => '401 Bearer',
  },
  {
    name: 'a request with another token',
    async ask(app) {
      const response = await app.fetchOpen('/Patient/a', { headers: { authorization: 'Bearer nonsense' } });
      return `${await app.told(response)} ${/error="\w+"/.exec(response.headers.get('www-authenticate') ?? '')?.[0]}`;
    },
    expected: () => '401 error="invalid_token"',
  },
  {
    name: 'the CapabilityStatement',
    ask: async (app) => metadata(app, '/metadata', 'application/fhir+json'),
    expected: () => '200 CapabilityStatement 4.0.1',
  },
  {
    name: 'the CapabilityStatement for a browser',
    ask: async (app) => metadata(app, '/metadata', 'text/html,application/xhtml+xml,*/*;q=0.8'),
    expected: () => '200 CapabilityStatement 4.0.1',
  },
  {
    name: 'the CapabilityStatement by _format',
    ask: async (app) => metadata(app, '/metadata?_format=json', 'application/fhir+xml'),
    expected: () => '200 CapabilityStatement 4.0.1',
  },
  {
    name: 'the CapabilityStatement in XML',
    ask: async (app) => app.told(await app.fetchOpen('/metadata', { headers: xml })),
    expected: () => '406',
  },
  {
    name: 'the SMART configuration',
    async ask(app) {
      const response = await app.fetchOpen('/.well-known/smart-configuration');
      const { capabilities = [] } = (await response.json()) as { capabilities?: string[] };
      return `${response.status} ${capabilities.includes('permission-v2')}`;
    },
    expected: () => '200 true',
  },
  {
    name: 'another document of the base',
    ask: async (app) => app.told(await app.fetchOpen('/.well-known/openid-configuration')),
    expected: () => '404',
  },
  {
    name: 'the preflight request of a browser with tracing',
    async ask(app) {
      const asked = 'authorization,sentry-trace,baggage,traceparent,x-request-id,cache-control';
      const headers = { origin: 'https://app.example', 'access-control-request-headers': asked };
      const response = await app.fetchOpen('/Patient/a', { method: 'OPTIONS', headers });
      const allowed = (response.headers.get('access-control-allow-headers') ?? '').toLowerCase();
      const missing = asked.split(',').filter((name) => !allowed.includes(name));
      return [response.status, response.headers.get('access-control-allow-origin'), ...missing].join(' ');
    },
    expected: () => '204 *',
  },
];

async function metadata(app: App, path: string, accept: string): Promise<string> {
  const response = await app.fetchOpen(path, { headers: { accept } });
  const { resourceType, fhirVersion } = JSON.parse(await app.checkedText(response)) as Record<string, string>;
  return `${response.status} ${resourceType} ${fhirVersion}`;
}

const isReading = (view: View) => view.may('Patient', 'r');

/** An answer of more than some bytes is compressed for an app that asks for that, which `fetch` does. */
const compressed: AppRequest = {
  name: 'a long answer, compressed',
  async ask(app) {
    const response = await app.fetch('/Observation?patient=a');
    await response.arrayBuffer();
    return `${response.status} ${response.headers.get('content-encoding') !== null}`;
  },
  expected: (view) => (isReading(view) ? '200 true' : '403 false'),
};

export const reads: readonly AppRequest[] = [...plain, ...forms, ...versions, ...withoutToken, compressed];
