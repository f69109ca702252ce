import type { AccessTokenFacts } from '../../../src/oidc/domain/access-tokens.js';
import type { LevelRule } from '../../../src/representation/application/permitted-record.js';
import {
  type StatedRelationships,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../support/fhir/gateway.js';
import { sendFhir } from '../../support/fhir/scripted-server.js';
import { searchParametersOf } from '../../support/fhir/search-definitions.js';

type Stored = Record<string, unknown> & { resourceType: string; id: string };

const leo = { reference: 'Patient/leo' };
const label = { meta: { security: [{ code: 'MH' }] } };
const observation = (id: string, more: object = {}): Stored => ({
  ...{ resourceType: 'Observation', id, status: 'final', subject: leo, code: { text: 'x' } },
  category: [{ coding: [{ code: 'vital-signs' }] }],
  ...more,
});

/** Two versions of each resource, oldest first. */
const record: Stored[][] = [
  [
    {
      ...{ resourceType: 'Patient', id: 'leo', name: [{ family: 'Duarte' }], birthDate: '2015-03-01', active: true },
      ...{ address: [{ city: 'Refuge' }], contact: [{ name: { family: 'Sa' } }] },
    },
  ],
  [{ resourceType: 'Patient', id: 'ana', name: [{ family: 'Own' }] }],
  [observation('pulse')],
  // Labelled later.
  [observation('mood'), observation('mood', label)],
  [observation('blood', { category: [{ coding: [{ code: 'laboratory' }] }] })],
  [observation('file', { valueAttachment: { url: 'Binary/scan' } })],
  [observation('ward', { contained: [{ resourceType: 'RelatedPerson', id: 'c' }] })],
  [observation('foreign', { subject: { reference: 'Patient/ana' } })],
  [{ resourceType: 'Condition', id: 'asthma', subject: leo }],
  [{ resourceType: 'Condition', id: 'grief', subject: leo, ...label }],
  [{ resourceType: 'RelatedPerson', id: 'ana', patient: leo }],
  [{ resourceType: 'RelatedPerson', id: 'rui', patient: leo, address: [{ city: 'Refuge' }] }],
  [
    {
      resourceType: 'Provenance',
      id: 'by-rui',
      target: [{ reference: 'Observation/pulse' }],
      agent: [{ who: { reference: 'RelatedPerson/rui' } }],
    },
  ],
  [
    {
      resourceType: 'Provenance',
      id: 'by-ana',
      target: [{ reference: 'Observation/pulse' }],
      agent: [{ who: { reference: 'RelatedPerson/ana' } }],
    },
  ],
  [
    {
      resourceType: 'DocumentReference',
      id: 'letter',
      subject: leo,
      ...label,
      content: [{ attachment: { url: 'Binary/secret' } }],
    },
  ],
  [{ resourceType: 'DocumentReference', id: 'plan', subject: leo, content: [{ attachment: { url: 'Binary/scan' } }] }],
  [
    {
      ...{ resourceType: 'DocumentReference', id: 'statement', subject: leo },
      ...{ contained: [{ resourceType: 'RelatedPerson', id: 'c' }] },
      content: [{ attachment: { url: 'Binary/heard' } }],
    },
  ],
  [{ resourceType: 'Binary', id: 'heard', contentType: 'text/plain', securityContext: leo, data: 'eA==' }],
  [{ resourceType: 'Binary', id: 'secret', contentType: 'text/plain', securityContext: leo, data: 'eA==' }],
  [{ resourceType: 'Binary', id: 'scan', contentType: 'text/plain', securityContext: leo, data: 'eA==' }],
  [{ resourceType: 'Practitioner', id: 'dr', photo: [{ url: 'x' }] }],
];

const kinds = ['Patient', 'Observation', 'Condition', 'RelatedPerson', 'Provenance', 'DocumentReference', 'Binary'];
const none = { types: [], categories: [], securityLabels: ['MH'], codes: [] };
const rule = (own: LevelRule['kinds'], change: LevelRule['change'] = []): LevelRule => ({
  ...{ id: 'x', label: 'X', kinds: own, change, without: none },
});
const levels = {
  full: rule('full', 'full'),
  limited: rule(['Observation?category=vital-signs', 'Provenance'], ['Observation?category=vital-signs']),
  open: { ...rule('full', 'full'), without: { ...none, securityLabels: [] } },
};

/** A server that finds what it is asked for, and one that answers everything to everybody. */
async function startServer(ignores: boolean): Promise<Upstream & { changes: () => string[] }> {
  const upstream: Upstream = await startUpstream(({ method = '', url = '' }, response, body) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const [type = '', id, history, version] = pathname.slice('/r4/'.length).split('/');
    const stored = record.map((versions) =>
      versions.map((one, index) => ({ ...one, meta: { ...(one.meta as object), versionId: String(index + 1) } })),
    );
    if (type === 'metadata') return sendFhir(response, statement());
    const versions = stored.find(([one]) => one?.resourceType === type && one.id === id);
    if (method !== 'GET')
      return sendFhir(response, body === '' ? {} : JSON.parse(body), method === 'POST' && type !== '' ? 201 : 200);
    const current = stored.map((all) => all.at(-1) as Stored);
    if (id === '$everything' || history === '$everything')
      return sendFhir(response, bundle('searchset', current, upstream.url + url));
    if (id === undefined) {
      const found = current.filter((one) => one.resourceType === type);
      const patient = searchParams.get('patient') ?? searchParams.get('subject');
      const ids = (searchParams.get('_id') ?? searchParams.get('identifier'))?.split(',');
      const own = found.filter(
        (one) =>
          (patient === null || JSON.stringify(one).includes(`"${patient}"`)) &&
          (!ids || ids.includes(one.id) || ids.includes(`${type}/${one.id}`)),
      );
      const matches = ignores ? found : own;
      const answer = bundle('searchset', matches, upstream.url + url);
      const included = searchParams.has('_revinclude')
        ? current.filter((one) => one.resourceType === 'Provenance')
        : [];
      const subject = searchParams.has('_include') ? current.filter((one) => one.id === 'leo') : [];
      const entry = [...included, ...subject].map((resource) => ({ resource, search: { mode: 'include' } }));
      return sendFhir(response, { ...answer, entry: [...answer.entry, ...entry] });
    }
    if (versions && history === '_history' && version === undefined) {
      return sendFhir(response, bundle('history', versions.toReversed(), upstream.url + url));
    }
    const found = version === undefined ? versions?.at(-1) : versions?.[Number(version) - 1];
    if (!found) return sendFhir(response, { resourceType: 'OperationOutcome', issue: [] }, 404);
    return sendFhir(response, found, 200, { ETag: `W/"${(found.meta as { versionId: string }).versionId}"` });
  });
  const changes = () =>
    upstream.requests.filter((one) => one.method !== 'GET').map((one) => `${one.method} ${one.url}`);
  return Object.assign(upstream, { changes });
}

function bundle(type: string, resources: readonly Stored[], url: string) {
  const entry = resources.map((resource) => ({ resource }));
  return { resourceType: 'Bundle', type, total: resources.length, link: [{ relation: 'self', url }], entry };
}

function statement(): object {
  const operation = [{ name: 'everything', definition: 'https://hl7.example/everything' }];
  const resource = [...kinds, 'Practitioner', 'AuditEvent', 'Consent', 'Goal'].map((type) => ({
    ...{ type, searchParam: ['_id', ...searchParametersOf(type)].map((name) => ({ name })), conditionalUpdate: true },
    ...(type === 'Patient' && { operation }),
  }));
  return { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ mode: 'server', resource }] };
}

describe.each([
  ['that finds what it is asked for', false],
  ['that answers everything to everybody', true],
])('A user who acts for a patient, with a server %s', (_which, ignores) => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let gateway: TestGateway;
  let current: Awaited<ReturnType<StatedRelationships['forRequest']>>;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    server = await startServer(ignores);
    const represented = { protection: { categories: [], codes: [] }, forRequest: async () => current };
    gateway = await startGateway(server.url, {}, { represented });
    await gateway.loadCapabilities();
    const acting: Partial<AccessTokenFacts> = { accountId: 'ana', patient: 'leo', representation: 'r', acr: 'aal2' };
    const scopes = 'openid fhirUser patient/*.cruds user/*.cruds';
    tokens.acting = gateway.tokenFor(scopes, { ...acting, fhirUser: `${gateway.base}/RelatedPerson/ana` });
    tokens.ofPatient = gateway.tokenFor(scopes, { ...acting, fhirUser: `${gateway.base}/Patient/ana` });
    const { representation: _none, ...own } = acting;
    tokens.leo = gateway.tokenFor('patient/*.cruds', { ...own, accountId: 'leo' });
    tokens.staff = gateway.tokenFor('user/*.cruds', { accountId: 'dr', fhirUser: `${gateway.base}/Practitioner/dr` });
  });

  afterAll(async () => {
    await gateway.close();
    server.close();
  });

  const at = (level: keyof typeof levels, basis = 'voluntary') => {
    current = { permitted: true, levels: [levels[level]], basis, relationship: 'r' };
  };
  const read = async (path: string, token = 'acting') => {
    const response = await gateway.fetch(path, tokens[token], { headers: { accept: 'application/fhir+json' } });
    const body = JSON.parse(await response.text()) as { entry?: { resource: Stored }[]; total?: number } & Stored;
    const ids = body.entry?.map(({ resource }) => resource.id).sort() ?? (response.status === 200 ? [body.id] : []);
    return { status: response.status, ids, body };
  };
  const send = async (method: string, path: string, body: unknown, token = 'acting') => {
    server.requests.length = 0;
    const headers = {
      'content-type': path.includes('patch') ? 'application/json-patch+json' : 'application/fhir+json',
    };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const { status } = await gateway.fetch(path, tokens[token], init);
    return [status, server.changes().length];
  };

  const ways = [
    ['/Observation?patient=leo', ['pulse', 'blood', 'file'], ['pulse']],
    ['/Observation?_elements=status', ['pulse', 'blood', 'file'], ['pulse']],
    ['/Observation?_summary=true', ['pulse', 'blood', 'file'], ['pulse']],
    ['/Patient/leo/Observation', ['pulse', 'blood', 'file'], ['pulse']],
    ['/Condition?patient=leo', ['asthma'], 403],
    ['/Condition/asthma', ['asthma'], 403],
    ['/Condition/grief', 404, 403],
    ['/Observation/pulse', ['pulse'], ['pulse']],
    ['/Observation/blood', ['blood'], 404],
    ['/Observation/file', ['file'], 404],
    ['/Observation/ward', 404, 404],
    ['/Observation/foreign', 404, 404],
    ['/Observation/mood', 404, 404],
    ['/Observation/mood/_history/1', 404, 404],
    ['/Observation/mood/_history', 404, 404],
    ['/Observation/pulse/_history/1', ['pulse'], ['pulse']],
    ['/Provenance?target=Observation/pulse', ['by-ana'], ['by-ana']],
    ['/RelatedPerson?patient=leo', ['ana'], ['ana']],
    ['/RelatedPerson/rui', 404, 404],
    ['/AuditEvent', 403, 403],
    ['/Patient/ana', 404, 404],
    ['/Practitioner/dr', ['dr'], ['dr']],
    ['/Binary/scan', ['scan'], 403],
    ['/Binary/secret', 404, 403],
    ['/DocumentReference?patient=leo', ['plan'], 403],
    [
      '/Patient/leo/$everything',
      ['leo', 'pulse', 'blood', 'file', 'asthma', 'ana', 'by-ana', 'plan', 'dr'],
      ['leo', 'pulse', 'ana', 'by-ana', 'dr'],
    ],
    [
      '/Patient/leo/$everything?_type=Condition',
      ['leo', 'pulse', 'blood', 'file', 'asthma', 'ana', 'by-ana', 'plan', 'dr'],
      403,
    ],
  ] as const;

  it.each(ways)('sees by %s what the level permits, and nothing else', async (path, ofFull, ofLimited) => {
    for (const [level, expected] of [
      ['full', ofFull],
      ['limited', ofLimited],
    ] as const) {
      at(level);
      const { status, ids } = await read(path);
      const own = typeof expected === 'number' ? [expected, []] : [200, [...expected].sort()];
      expect([level, status, ids]).toEqual([level, ...own]);
    }
  });

  it('opens no content of a document that tells of another representative, also where the level keeps nothing private', async () => {
    at('open');
    expect((await read('/DocumentReference/letter')).status).toBe(200);
    expect((await read('/Binary/secret')).status).toBe(200);
    expect((await read('/DocumentReference/statement')).status).toBe(404);
    expect((await read('/Binary/heard')).status).toBe(404);
  });

  it('counts only what the level permits', async () => {
    for (const [level, total] of [
      ['full', 3],
      ['limited', 1],
    ] as const) {
      at(level);
      expect((await read('/Observation?_summary=count')).body.total).toBe(total);
      expect((await read('/Observation?_total=accurate')).body.total).toBe(total);
    }
  });

  it('gets of the patient what the level names, also by an include', async () => {
    const patientIn = async (path: string) => {
      const { body } = await read(path);
      return body.entry?.map(({ resource }) => resource).find(({ id }) => id === 'leo') ?? body;
    };
    for (const path of [
      '/Patient/leo',
      '/Patient?_id=leo',
      '/Observation?_id=pulse&_include=Observation:subject:Patient',
    ]) {
      if (ignores && path.includes('_include')) continue;
      at('limited');
      expect([path, Object.keys(await patientIn(path)).sort()]).toEqual([
        path,
        ['birthDate', 'id', 'meta', 'name', 'resourceType'],
      ]);
      at('full');
      expect(await patientIn(path)).toMatchObject({ address: [{ city: 'Refuge' }], contact: [{}] });
      at('full', 'parental-responsibility');
      expect(await patientIn(path)).not.toHaveProperty('contact');
    }
    at('limited');
    expect((await read('/Patient?address-city=Refuge')).status).toBe(403);
    expect((await read('/Observation?category=laboratory')).status).toBe(403);
  });

  it('reads nothing of their own', async () => {
    at('full');
    expect((await read('/Patient/ana', 'ofPatient')).status).toBe(404);
    expect((await read('/Observation/foreign', 'ofPatient')).status).toBe(404);
    expect((await read('/RelatedPerson/ana')).ids).toEqual(['ana']);
  });

  it('is refused from the request on that follows an end', async () => {
    at('full');
    expect((await read('/Observation/pulse')).status).toBe(200);
    current = { permitted: false, cause: 'ended' };
    expect((await read('/Observation/pulse')).status).toBe(401);
    expect(await send('POST', '/', { resourceType: 'Bundle', type: 'batch', entry: [] })).toEqual([401, 0]);
    current = { permitted: true, levels: [levels.full], basis: 'voluntary', relationship: 'another' };
    expect((await read('/Observation/pulse')).status).toBe(401);
  });

  const pulse = observation('pulse');
  const changes = [
    ['PUT', '/Observation/pulse', pulse, 200, 200],
    ['PUT', '/Observation/pulse', observation('pulse', { category: [] }), 200, 403],
    ['PUT', '/Observation/blood', observation('blood'), 200, 404],
    ['PUT', '/Observation/mood', observation('mood'), 404, 404],
    ['POST', '/Observation', pulse, 201, 201],
    ['POST', '/Observation', { ...pulse, ...label }, 403, 403],
    ['POST', '/Condition', { resourceType: 'Condition', subject: leo }, 201, 403],
    ['DELETE', '/Observation/pulse', undefined, 200, 200],
    ['DELETE', '/Condition/asthma', undefined, 200, 403],
    ['DELETE', '/Condition/grief', undefined, 404, 403],
    ['PUT', '/Patient/leo', record[0]?.[0], 200, 403],
    ['POST', '/RelatedPerson', { resourceType: 'RelatedPerson', patient: leo }, 403, 403],
    ['PUT', '/RelatedPerson/ana', { resourceType: 'RelatedPerson', id: 'ana', patient: leo }, 403, 403],
    ['POST', '/Consent', { resourceType: 'Consent', patient: leo }, 403, 403],
    ['PUT', '/Observation?identifier=blood', { ...observation('x'), id: undefined }, 200, 201],
  ] as const;

  it.each(changes)(
    'changes by %s %s of %j what the level lets change',
    async (method, path, body, ofFull, ofLimited) => {
      // A server that ignores conditions finds several.
      if (ignores && path.includes('?')) return;
      for (const [level, status] of [
        ['full', ofFull],
        ['limited', ofLimited],
      ] as const) {
        at(level);
        expect([level, ...(await send(method, path, body))]).toEqual([level, status, status < 300 ? 1 : 0]);
      }
    },
  );

  it('or any app of a patient changes nothing that decides who may act, and staff may', async () => {
    at('full');
    const patient = record[0]?.[0];
    const asthma = { resourceType: 'Condition', id: 'grief', subject: leo };
    for (const [token, status] of [
      ['leo', 403],
      ['staff', 200],
    ] as const) {
      const isDone = status === 200 ? 1 : 0;
      for (const more of [{ birthDate: '2005-01-01' }, { active: false }, { deceasedBoolean: true }, { link: [] }]) {
        const own = JSON.stringify(more) === '{"link":[]}' ? { link: [{ other: leo, type: 'seealso' }] } : more;
        expect([token, await send('PUT', '/Patient/leo', { ...patient, ...own }, token)]).toEqual([
          token,
          [status, isDone],
        ]);
      }
      expect([token, await send('PUT', '/Condition/grief', asthma, token)]).toEqual([token, [status, isDone]]);
      const person = { resourceType: 'RelatedPerson', id: 'rui', patient: leo };
      expect([token, await send('PUT', '/RelatedPerson/rui', person, token)]).toEqual([token, [status, isDone]]);
      expect([token, await send('DELETE', '/Patient/leo', undefined, token)]).toEqual([token, [status, isDone]]);
    }
    expect(await send('PUT', '/Patient/leo', { ...patient, gender: 'male' }, 'leo')).toEqual([200, 1]);
    expect(await send('PUT', '/Condition/grief', { ...asthma, ...label }, 'leo')).toEqual([200, 1]);
  });

  it('gets the same by a batch as by single requests', async () => {
    at('limited');
    const entry = ['Observation/pulse', 'Observation/blood', 'Condition/asthma'].map((url) => ({
      request: { method: 'GET', url },
    }));
    const response = await gateway.fetch('/', tokens.acting, {
      method: 'POST',
      headers: { 'content-type': 'application/fhir+json' },
      body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
    });
    const { entry: answers } = (await response.json()) as { entry: { response: { status: string } }[] };
    expect(answers.map((one) => one.response.status)).toEqual(['200', '404', '403']);
    const transaction = { resourceType: 'Bundle', type: 'transaction' };
    const write = (method: string, url: string, resource: object) => ({
      ...transaction,
      entry: [{ resource, request: { method, url } }],
    });
    expect(await send('POST', '/', write('PUT', 'Observation/pulse', pulse))).toEqual([200, 1]);
    expect(await send('POST', '/', write('PUT', 'Observation/blood', observation('blood')))).toEqual([404, 0]);
    expect(await send('POST', '/', write('POST', 'Condition', { resourceType: 'Condition', subject: leo }))).toEqual([
      403, 0,
    ]);
  });
});
