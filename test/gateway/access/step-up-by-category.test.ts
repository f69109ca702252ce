import type { Bundle, Observation } from '@medplum/fhirtypes';
import fc from 'fast-check';
import { DemoGateway } from '../../support/fhir/demo-gateway.js';
import { keyOf, request, scope, shown, textOf, who } from '../../support/fhir/permission-oracle.js';
import { runs } from '../../support/runs.js';

const now = () => Math.floor(Date.now() / 1000);
const laboratory = 'Observation?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';
const stepUp = [
  { actions: 'rs', types: [laboratory], acr: 'aal2' },
  { actions: 'cud', types: [laboratory], acr: 'phr', maxAge: 300 },
];
const weak = () => ({ acr: 'aal1', authTime: now() });
const strong = () => ({ acr: 'phr', authTime: now() });
let demo: DemoGateway;
/** Ids of Observations by what they are. */
const of = { laboratory: '', vitals: '', both: '' };
/** Ids of DiagnosticReports, of which one contains a result of the category. */
const reports = { containing: '', plain: '' };

const coded = (...codes: string[]) => ({
  category: codes.map((code) => ({
    coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code }],
  })),
});

const report = (code: string) => ({
  resourceType: 'DiagnosticReport',
  status: 'final',
  code: { text: 'Blood' },
  subject: { reference: 'Patient/1' },
  contained: [{ resourceType: 'Observation', id: 'r', status: 'final', code: { text: 'x' }, ...coded(code) }],
});

async function createReport(code: string): Promise<string> {
  const headers = { 'content-type': 'application/fhir+json' };
  const body = JSON.stringify(report(code));
  const answer = await fetch(`${demo.serverUrl}/DiagnosticReport`, { method: 'POST', headers, body });
  expect(answer.status).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

beforeAll(async () => {
  demo = await DemoGateway.start(undefined, { stepUp });
  const create = async (...codes: string[]) => {
    const { gateway, ...rest } = { gateway: demo.gateway.base, ...demo.observationOf('1') };
    const body = JSON.stringify({ ...rest, subject: { reference: 'Patient/1' }, ...coded(...codes) });
    const headers = { 'content-type': 'application/fhir+json' };
    const answer = await fetch(`${demo.serverUrl}/Observation`, { method: 'POST', headers, body });
    expect([answer.status, gateway !== '']).toEqual([201, true]);
    return ((await answer.json()) as Observation).id ?? '';
  };
  of.laboratory = await create('laboratory');
  of.vitals = await create('vital-signs');
  of.both = await create('vital-signs', 'laboratory');
  reports.containing = await createReport('laboratory');
  reports.plain = await createReport('vital-signs');
});
afterAll(() => demo.close());

/** Tokens of a user who may open everything, and of one who may open one patient's record. */
const holders = [
  ['all records', 'user/*.cruds', () => ({ fhirUser: `${demo.gateway.base}/Practitioner/practitioner-1` })],
  ['one record', 'patient/*.cruds', () => ({ patient: '1' })],
] as const;

const isChallenged = (answer: Response) =>
  answer.status === 401 &&
  String(answer.headers.get('www-authenticate')).includes('error="insufficient_user_authentication"');

const entry = (method: string, url: string, resource?: object) => ({
  request: { method, url },
  ...(resource && { resource: { ...demo.observationOf('1'), ...resource } }),
});
const bundle = (type: string, ...entries: object[]) => ({ resourceType: 'Bundle', type, entry: entries });

interface Row {
  method: string;
  path: () => string;
  body?: () => object;
  headers?: Record<string, string>;
  /** Also for a token that opens one record; others refuse what it asks for. */
  forOne?: boolean;
  /** Only for such a token: the server itself has no conditional changes. */
  forOneOnly?: boolean;
}
const get = (path: () => string, forOne = true): Row => ({ method: 'GET', path, forOne });

/** Each is held to the rules: it has a resource of the category, might have one, or would tell about one. */
const demanding: [name: string, row: Row][] = [
  ['a read', get(() => `/Observation/${of.laboratory}`)],
  ['a read of a resource with a second category', get(() => `/Observation/${of.both}`)],
  ['a read without its category', get(() => `/Observation/${of.vitals}?_elements=code`, false)],
  ['the history of a resource', get(() => `/Observation/${of.vitals}/_history`)],
  ['the history of the type', get(() => '/Observation/_history', false)],
  ['a search for all', get(() => '/Observation')],
  ['a search that names the category', get(() => '/Observation?category=laboratory')],
  ['one with another spelling', get(() => '/Observation?category=LABORATORY')],
  ['one with several categories', get(() => '/Observation?category=vital-signs,laboratory')],
  ['one with a system alone', get(() => '/Observation?category=http://x.example|')],
  ['one without a category', get(() => '/Observation?category:not=vital-signs')],
  ['one for a value', get(() => '/Observation?value-string=good')],
  [
    'one for another category that finds a resource of both',
    get(() => `/Observation?category=vital-signs&_id=${of.both}`),
  ],
  ['one within a record', get(() => '/Patient/1/Observation')],
  ['one by POST', { method: 'POST', path: () => '/Observation/_search' }],
  ['one for the count', get(() => '/Observation?category=vital-signs&_summary=count', false)],
  ['an include', get(() => '/Patient?_revinclude=Observation:subject')],
  ['a chain', get(() => '/Patient?_has:Observation:patient:code=x', false)],
  ['$lastn', get(() => '/Observation/$lastn?patient=Patient/1')],
  ['$everything', get(() => '/Patient/1/$everything')],
  ['a read of what contains one', get(() => `/DiagnosticReport/${reports.containing}`)],
  ['the history of what contains one', get(() => `/DiagnosticReport/${reports.containing}/_history`)],
  ['a search that finds what contains one', get(() => `/DiagnosticReport?_id=${reports.containing}`)],
  [
    'a create of what contains one',
    { method: 'POST', path: () => '/DiagnosticReport', body: () => report('laboratory'), forOne: true },
  ],
  [
    'an update by which something contains one',
    {
      method: 'PUT',
      path: () => `/DiagnosticReport/${reports.plain}`,
      body: () => ({ ...report('laboratory'), id: reports.plain }),
      forOne: true,
    },
  ],
  [
    'an update of what contained one',
    {
      method: 'PUT',
      path: () => `/DiagnosticReport/${reports.containing}`,
      body: () => ({ ...report('survey'), id: reports.containing }),
      forOne: true,
    },
  ],
  [
    'a patch of what contains one',
    {
      method: 'PATCH',
      path: () => `/DiagnosticReport/${reports.containing}`,
      body: () => [{ op: 'test', path: '/status', value: 'final' }],
      headers: { 'content-type': 'application/json-patch+json' },
      forOne: true,
    },
  ],
  [
    'a delete of what contains one',
    { method: 'DELETE', path: () => `/DiagnosticReport/${reports.containing}`, forOne: true },
  ],
  ['a create', { method: 'POST', path: () => '/Observation', body: () => coded('laboratory'), forOne: true }],
  [
    'a conditional create',
    {
      method: 'POST',
      path: () => '/Observation',
      body: () => coded('vital-signs'),
      headers: { 'if-none-exist': 'code=x' },
      forOneOnly: true,
    },
  ],
  [
    'an update that hides the category',
    { method: 'PUT', path: () => `/Observation/${of.laboratory}`, body: () => ({ id: of.laboratory }), forOne: true },
  ],
  ['a conditional update', { method: 'PUT', path: () => '/Observation?code=x', body: () => ({}), forOneOnly: true }],
  ['a delete', { method: 'DELETE', path: () => `/Observation/${of.laboratory}`, forOne: true }],
  ['a conditional delete', { method: 'DELETE', path: () => '/Observation?code=x', forOneOnly: true }],
  [
    'a transaction with a read',
    { method: 'POST', path: () => '', body: () => bundle('transaction', entry('GET', `Observation/${of.vitals}`)) },
  ],
  [
    'a transaction with a create',
    {
      method: 'POST',
      path: () => '',
      body: () => bundle('transaction', entry('POST', 'Observation', coded('laboratory'))),
      forOne: true,
    },
  ],
];

/** These requests cannot have a resource of the category. */
const harmless: [name: string, row: Row][] = [
  ['a read of another category', get(() => `/Observation/${of.vitals}`)],
  ['a read of another type', get(() => '/Patient/1')],
  ['a search for another category', get(() => `/Observation?category=vital-signs&_id=${of.vitals}`)],
  ['a search in another type', get(() => '/Condition')],
  ['a read of what contains another category', get(() => `/DiagnosticReport/${reports.plain}`)],
  ['the history of what contains another category', get(() => `/DiagnosticReport/${reports.plain}/_history`)],
  ['a search for what contains another category', get(() => `/DiagnosticReport?_id=${reports.plain}`)],
  [
    'an update of what contains another category',
    {
      method: 'PUT',
      path: () => `/DiagnosticReport/${reports.plain}`,
      body: () => ({ ...report('survey'), id: reports.plain }),
      forOne: true,
    },
  ],
  [
    'a create in another category',
    { method: 'POST', path: () => '/Observation', body: () => coded('survey'), forOne: true },
  ],
];

function send(row: Row, token: string): Promise<Response> {
  if (row.path().endsWith('/_search')) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return demo.read(row.path(), token, { method: 'POST', headers, body: 'code=x' });
  }
  if (row.body === undefined) return demo.read(row.path(), token, { method: row.method });
  const body = row.body();
  const whole = 'resourceType' in body || Array.isArray(body) ? body : { ...demo.observationOf('1'), ...body };
  return demo.send(row.method, row.path(), token, whole, row.headers);
}

describe.each(holders)('With a token for %s, a rule for a category', (_name, scopes, facts) => {
  const rows = (all: [string, Row][]) =>
    all.filter(([, { forOne, forOneOnly }]) => (scopes.startsWith('user') ? !forOneOnly : forOne || forOneOnly));
  const token = (signIn: object) => demo.gateway.tokenFor(scopes, { accountId: 'a', ...facts(), ...signIn });

  it.each(rows(demanding))('has the user sign in for %s', async (_what, row) => {
    const answer = await send(row, token(weak()));
    expect([await answer.text(), isChallenged(answer)]).toEqual([expect.stringContaining('stronger or a newer'), true]);
  });

  it.each(rows(demanding).filter(([name]) => !/delete|update|transaction|conditional/.test(name)))(
    'does not ask a stronger sign-in for %s',
    async (_what, row) => {
      expect(isChallenged(await send(row, token(strong())))).toBe(false);
    },
  );

  it.each(rows(harmless))('asks nothing for %s', async (_what, row) => {
    const answer = await send(row, token(weak()));
    expect([await answer.text(), answer.status < 300]).toEqual([expect.anything(), true]);
  });

  it('names in its challenge what reads and what changes demand', async () => {
    const challenge = async (row: Row) => (await send(row, token(weak()))).headers.get('www-authenticate');
    expect(await challenge(get(() => `/Observation/${of.laboratory}`))).toMatch(/acr_values="aal2"$/);
    const create: Row = { method: 'POST', path: () => '/Observation', body: () => coded('laboratory') };
    expect(await challenge(create)).toMatch(/acr_values="phr", max_age="300"$/);
  });
});

it('A batch is decided entry by entry, and answers the others', async () => {
  const [, scopes, facts] = holders[0];
  const token = demo.gateway.tokenFor(scopes, { accountId: 'a', ...facts(), ...weak() });
  const reads = [of.vitals, of.laboratory, of.both].map((id) => entry('GET', `Observation/${id}`));
  const answer = await demo.send('POST', '', token, bundle('batch', ...reads));
  const statuses = ((await answer.json()) as Bundle).entry?.map(({ response }) => response?.status?.slice(0, 3));
  expect(statuses).toEqual(['200', '401', '401']);
});

it('A further page of a search is checked, too, when the sign-in has become too old for it', async () => {
  const [, scopes, facts] = holders[0];
  const signIn: { accountId: string; acr: string; authTime: number; grantId: string } = {
    accountId: 'a',
    ...strong(),
    grantId: 'g',
  };
  const first = await demo.read('/Observation?_count=2', demo.gateway.tokenFor(scopes, { ...facts(), ...signIn }));
  const next = ((await first.json()) as Bundle).link?.find(({ relation }) => relation === 'next')?.url ?? '';
  const old = demo.gateway.tokenFor(scopes, { ...facts(), ...signIn, acr: 'aal1' });
  expect(isChallenged(await demo.read(next.slice(demo.gateway.base.length), old))).toBe(true);
});

it('A user whose sign-in is weak gets any generated request answered as one whose sign-in is strong, or a challenge, and no resource of the category', async () => {
  const seen = { answered: 0, challenged: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(scope, { minLength: 1, maxLength: 3 }), who, request, async (scopes, person, asked) => {
      const tokenBy = (signIn: object) =>
        demo.gateway.tokenFor(scopes.map(textOf).join(' '), {
          accountId: 'a',
          ...(person.patient !== undefined && { patient: person.patient }),
          fhirUser: `${demo.gateway.base}/${person.fhirUser}`,
          ...signIn,
        });
      const record = asked.kind === 'search' && asked.inRecord !== null ? `/Patient/${asked.inRecord}` : '';
      const path =
        asked.kind === 'search'
          ? `${record}/${asked.type}?${asked.query}`
          : `/${asked.type}/${(asked.pick % 5) + 1}${asked.history}`;
      const [low, high] = [await demo.read(path, tokenBy(weak())), await demo.read(path, tokenBy(strong()))];
      expect(isChallenged(high)).toBe(false);
      if (isChallenged(low)) {
        seen.challenged += 1;
        return;
      }
      expect(low.status).toBe(high.status);
      if (low.status !== 200) return;
      seen.answered += 1;
      const [less, all] = [shown((await low.json()) as Bundle), shown((await high.json()) as Bundle)];
      expect(less.map(keyOf)).toEqual(all.map(keyOf));
      expect(JSON.stringify(less.filter(({ resourceType }) => resourceType === 'Observation'))).not.toContain(
        '"code":"laboratory"',
      );
    }),
    runs(300, 20_000),
  );
  expect(seen.answered).toBeGreaterThan(10);
  expect(seen.challenged).toBeGreaterThan(10);
});
