import { relationshipsChanged } from '../../../src/representation/domain/relationships.js';
import { RecordServer } from '../../support/fhir/record-server.js';
import { Agent } from '../../support/http/agent.js';
import { tellNodes } from '../../support/portal/portal.js';
import { jwtApp, opaqueApp, relationshipsPath } from '../../support/representation/acting.js';
import { aroundRecords } from '../../support/representation/acting-records.js';
import { connectedApps, rowsOf } from '../../support/representation/connected-apps.js';
import { type FamilyPortal, startFamilyPortal } from '../../support/representation/family-portal.js';
import {
  born,
  changes,
  chosen,
  day,
  parent,
  permitted,
  reads,
  representation,
  timeZone,
  who,
} from '../../support/representation/scenarios.js';

const portalConfig = { clients: [jwtApp, opaqueApp], locale: { timeZone }, representation };
const server = new RecordServer();
let portal: FamilyPortal;
let gateway: Agent;
const { records, acting, has, connected, withToken } = connectedApps(() => portal, server);

/** An address for a patient: `~` stands for the id, ids of the record begin with it, and a search is about them. */
function addressFor(patient: string, text: string): string {
  if (text.startsWith('/')) return `/fhir${text.replaceAll('~', patient)}`;
  const [path = '', query] = text.replaceAll('~', `${patient}-`).split('?');
  const [type, id, ...rest] = path.split('/');
  const named = [type, id && `${patient}-${id}`, ...rest].filter((part) => part !== undefined).join('/');
  if (id !== undefined || query?.startsWith('target=')) return `/fhir/${named}${query ? `?${query}` : ''}`;
  return `/fhir/${named}?patient=${patient}${query ? `&${query}` : ''}`;
}

beforeAll(async () => {
  await server.start();
  server.have(...aroundRecords, { resourceType: 'Patient', id: '1', birthDate: '1990-01-01' });
  portal = await startFamilyPortal({ nodes: 2, config: { ...portalConfig, fhir: { baseUrl: server.upstream.url } } });
  gateway = new Agent(portal.issuer, portal.ports[1]);
  for (const patient of who) await connected(patient, permitted[patient][0], permitted[patient][1]);
});

afterAll(async () => {
  await portal.close();
  server.upstream.close();
});

describe.each([
  ['that finds what it is asked for', false],
  ['that answers everything to everybody', true],
])('Who acts for a patient, at a server %s,', (_which, ignores) => {
  beforeAll(() => {
    server.ignores = ignores;
  });

  afterAll(() => {
    server.ignores = false;
  });

  // Conditions of an app are the server's to apply.
  const rows = rowsOf(reads, who).filter(([, request]) => !ignores || !/\?(?!_el|_sum|target)/.test(request));

  it.each(rows)('as %s, reads %s: %s', async (patient, request, expected) => {
    const answer = await gateway.get(addressFor(patient, request), withToken(patient));
    const body = answer.json<{ id?: string; entry?: { resource: { id: string } }[]; resourceType: string }>();
    const ids = body.resourceType === 'Bundle' ? (body.entry ?? []).map(({ resource }) => resource.id) : [body.id];
    const shown = ids.map((id = '') => (id === patient ? '~' : id.replace(`${patient}-`, '')));
    const found = answer.status !== 200 ? [String(answer.status)] : shown.length > 0 ? shown : ['-'];
    expect(found.sort()).toEqual(expected.split(' ').sort());
  });
});

const media: Record<string, string> = { PATCH: 'application/json-patch+json' };

/** The body of a change: the stored resource, with or without an element. */
function bodyFor(patient: string, method: string, place: string, how = '', element = '', value = ''): unknown {
  const [type, id] = place.split('/');
  const name = id === undefined ? patient : `${patient}-${id}`;
  const stored = records.get(patient)?.findLast((one) => one.resourceType === type && one.id === name);
  const others: Record<string, unknown> = {
    subject: { reference: 'Patient/stranger' },
    hasMember: [{ reference: `Observation/${patient}-${value}` }],
    performer: [{ reference: `RelatedPerson/${patient}-${value}` }],
    ...{ MR: [{ type: 'Patient', identifier: { value: `MR-${patient}` } }], gender: 'male', status: 'amended' },
    ...{ SS: [{ type: 'Patient', identifier: { value: `SS-${patient}` } }], birthDate: '2001-01-01' },
  };
  const named = ['MR', 'SS'].includes(element) ? 'focus' : element;
  if (method === 'PATCH' && how === 'without') return [{ op: 'remove', path: `/${named}` }];
  if (method === 'PATCH') return [{ op: 'add', path: `/${named}`, value: others[element] }];
  const { id: ownId, ...rest } = { ...stored, ...(how === 'with' && { [named]: others[element] }) } as { id?: string };
  const body: Record<string, unknown> = { ...rest, ...(method === 'PUT' && { id: ownId }) };
  if (how === 'without') delete body[named];
  return body;
}

/** The status, and the methods of what was sent to the FHIR server. */
async function changed(patient: string, method: string, path: string, body: unknown, headers: object = {}) {
  server.upstream.requests.length = 0;
  const type = { 'content-type': media[method] ?? 'application/fhir+json' };
  const answer = await gateway.send(path, {
    ...withToken(patient, { ...(body !== undefined && type), ...headers }),
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { answer, sent: server.upstream.requests.map((one) => one.method).filter((one) => one !== 'GET') };
}

describe('Who acts for a patient', () => {
  it.each(rowsOf(changes, who))('as %s, asks for %s: %s', async (patient, request, expected) => {
    const [method = '', place = '', ...how] = request.split(' ');
    const [type, id] = place.split('/');
    const named = id === undefined ? `/fhir/${type}/${patient}` : `/fhir/${type}/${patient}-${id}`;
    const path = method === 'POST' ? `/fhir/${type}` : named;
    const body = method === 'DELETE' ? undefined : bodyFor(patient, method, place, ...how);
    const { answer, sent } = await changed(patient, method, path, body);
    const isDone = answer.status < 300;
    expect([isDone ? 'done' : String(answer.status), sent.length]).toEqual([expected, isDone ? 1 : 0]);
  });

  it.each(who)(
    'as %s, changes nothing by operations and patches that the gateway does not understand',
    async (patient) => {
      const meta = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: {} }] };
      for (const operation of ['$meta-delete', '$meta-add', '$meta', '$expunge']) {
        for (const path of [
          `/fhir/Observation/${patient}-mood/${operation}`,
          `/fhir/Patient/${patient}/${operation}`,
        ]) {
          const { answer, sent } = await changed(patient, 'POST', path, meta);
          expect([path, answer.status >= 400, sent]).toEqual([path, true, []]);
        }
      }
      const fhirPath = { 'content-type': 'application/fhir+json' };
      const { answer, sent } = await changed(patient, 'PATCH', `/fhir/Observation/${patient}-mood`, meta, fhirPath);
      expect([answer.status >= 400, sent]).toEqual([true, []]);
    },
  );

  it.each(who)(
    'as %s, is answered each part of a batch as alone, and writes no transaction in part',
    async (patient) => {
      const post = (type: string, entry: object[]) =>
        changed(patient, 'POST', '/fhir/', { resourceType: 'Bundle', type, entry });
      const rows = rowsOf(reads, who).filter(
        ([name, request]) => name === patient && /^[A-Za-z]+\/[a-z-]+$/.test(request),
      );
      const urls = rows.map(([, request]) => addressFor(patient, request).slice('/fhir/'.length));
      const { answer } = await post(
        'batch',
        urls.map((url) => ({ request: { method: 'GET', url } })),
      );
      const { entry } = answer.json<{ entry: { response: { status: string } }[] }>();
      const expected = rows.map(([, , cell]) => (/^\d+$/.test(cell) ? cell : '200'));
      expect(entry.map(({ response }) => response.status)).toEqual(expected);
      const put = (name: string, more: object = {}) => ({
        request: { method: 'PUT', url: `Observation/${patient}-${name}` },
        resource: { ...(bodyFor(patient, 'PUT', `Observation/${name}`) as object), ...more },
      });
      const unlabelled = await post('transaction', [put('pulse'), put('mood', { meta: {} })]);
      expect([unlabelled.answer.status >= 400, unlabelled.sent]).toEqual([true, []]);
    },
  );

  it.each(who)('as %s, matches by a condition only what they may see', async (patient) => {
    const isSeen = (name: string) => {
      const row = rowsOf(reads, who).find(([own, request]) => own === patient && request === `Observation/${name}`);
      return row?.[2] === name;
    };
    const mayCreate = ['child', 'teen', 'carer'].includes(patient);
    for (const name of ['pulse', 'psy', 'blood', 'smoke']) {
      const { id: _id, meta: _meta, ...body } = bodyFor(patient, 'PUT', 'Observation/pulse') as Record<string, unknown>;
      const condition = `identifier=${patient}-${name}`;
      const created = await changed(patient, 'POST', '/fhir/Observation', body, { 'if-none-exist': condition });
      expect([name, created.sent]).toEqual([name, mayCreate && !isSeen(name) ? ['POST'] : []]);
      const deleted = await changed(patient, 'DELETE', `/fhir/Observation?${condition}`, undefined);
      expect([name, deleted.answer.status]).toEqual([name, mayCreate ? (isSeen(name) ? 200 : 204) : 403]);
      const known = withToken(patient, { 'if-none-match': 'W/"1"' });
      const { status } = await gateway.get(`/fhir/Observation/${patient}-${name}`, known);
      expect([name, status]).toEqual([name, isSeen(name) ? 304 : patient === 'papers' ? 403 : 404]);
    }
  });

  it.each(who)('as %s, counts what they may see', async (patient) => {
    const row = rowsOf(reads, who).find(([own, request]) => own === patient && request === 'Observation');
    for (const query of ['_summary=count', '_count=0', '_total=accurate']) {
      const answer = await gateway.get(`/fhir/Observation?patient=${patient}&${query}`, withToken(patient));
      const found = answer.status === 200 ? answer.json<{ total: number }>().total : answer.status;
      expect([query, found]).toEqual([query, row?.[2] === '403' ? 403 : row?.[2].split(' ').length]);
    }
  });

  it('gets of a Patient what the level names, by each way', async () => {
    const always = ['birthDate', 'gender', 'id', 'identifier', 'meta', 'name', 'resourceType'];
    const all = [...always, 'address', 'telecom'];
    const rows: [string, string[]][] = [
      ['child', all],
      ['teen', all],
      ...['basics', 'papers', 'labelled'].map((name): [string, string[]] => [name, always]),
      ['carer', [...all, 'contact']],
      ['reader', [...all, 'contact', 'deceasedBoolean']],
    ];
    for (const [patient, expected] of rows) {
      const ways = [
        ...[`Patient/${patient}`, `Patient/${patient}?_elements=address,contact`, `Patient/${patient}/_history/1`],
        ...[`Patient?_id=${patient}`, `Patient/${patient}/_history`, `Patient/${patient}/$everything?_type=Patient`],
        ...(['papers', 'labelled'].includes(patient)
          ? []
          : [`Observation?_id=${patient}-pulse&_include=Observation:subject:Patient`]),
      ];
      for (const way of ways) {
        const body = (await gateway.get(`/fhir/${way}`, withToken(patient))).json<{
          entry?: { resource: { id: string } }[];
          id: string;
        }>();
        const found = body.entry?.map(({ resource }) => resource).find(({ id }) => id === patient) ?? body;
        expect([way, Object.keys(found).sort()]).toEqual([way, [...expected].sort()]);
        const text = JSON.stringify(found);
        const isPart = !['carer', 'reader'].includes(patient);
        expect([way, text.includes('SUBSETTED'), text.includes('SS-'), text.includes('foster-care')]).toEqual([
          ...[way, isPart],
          ...(isPart && patient !== 'child' ? [false, false] : [true, true]),
        ]);
      }
    }
  });
});

/** What has happened since an app got its token: an end, a change of the relationship, or one of the record. */
const since = {
  ended: [parent, { birthDate: born(5) }, 'end'],
  protected: [parent, { birthDate: born(5) }, 'safeguarding'],
  suspended: [chosen('basics'), { birthDate: born(40) }, "SET status = 'suspended', reason = 'patient'"],
  over: [chosen('basics'), { birthDate: born(40) }, `SET ends_on = '${day(-1)}'`],
  'not begun': [chosen('basics'), { birthDate: born(40) }, `SET starts_on = '${day(1)}'`],
  'of age': [parent, { birthDate: born(5) }, { birthDate: born(18, 0) }],
  'sixteen without agreement': [parent, { birthDate: born(5) }, { birthDate: born(16, 0) }],
  'a helper below sixteen': [chosen('basics'), { birthDate: born(40) }, { birthDate: born(15) }],
  dead: [parent, { birthDate: born(5) }, { birthDate: born(5), deceasedDateTime: '2026' }],
  inactive: [parent, { birthDate: born(5) }, { birthDate: born(5), active: false }],
  replaced: [
    parent,
    { birthDate: born(5) },
    { birthDate: born(5), link: [{ type: 'replaced-by', other: { reference: 'Patient/stranger' } }] },
  ],
  undated: [parent, { birthDate: born(5) }, {}],
  'born tomorrow': [parent, { birthDate: born(5) }, { birthDate: day(1) }],
  'born on no day': [parent, { birthDate: born(5) }, { birthDate: '2019-02-30' }],
} as const;

describe('A token of who acts for a patient', () => {
  const requests = [
    ['GET', ''],
    ['GET', '/_history'],
    ['GET', '/$everything'],
    ['GET', '/Observation'],
    ['PUT', ''],
  ] as const;

  it.each(Object.entries(since))('opens nothing once the relationship or the patient is %s', async (name, row) => {
    const [relationship, facts, event] = row;
    const patient = name.replaceAll(' ', '-');
    const id = await connected(patient, relationship, facts);
    const admin = await acting.admin();
    if (event === 'end' || event === 'safeguarding') {
      const end = { reason: event === 'end' ? 'administrator' : 'safeguarding', note: 'Over' };
      expect((await admin.post(`${relationshipsPath}/${id}/end`, end)).status).toBeLessThan(300);
    } else if (typeof event === 'string') {
      await portal.query(`UPDATE representation_relationship ${event} WHERE id = $1`, [id]);
      await tellNodes(portal, relationshipsChanged);
    } else has(patient, event);
    for (const [method, rest] of requests) {
      const body = method === 'PUT' ? records.get(patient)?.[0] : undefined;
      const { answer, sent } = await changed(patient, method, `/fhir/Patient/${patient}${rest}`, body);
      expect([method, rest, answer.status, sent]).toEqual([method, rest, 401, []]);
    }
  });

  it.each([
    ['on the last day', chosen('basics'), { birthDate: born(40) }, `SET ends_on = '${day(0)}'`, 'pulse mood psy'],
    ['on the first day', chosen('basics'), { birthDate: born(40) }, `SET starts_on = '${day(0)}'`, 'pulse mood psy'],
    ['on the day before 13', parent, { birthDate: born(13, -1) }, undefined, 'pulse blood smoke mood file plain'],
    ['on the day of 13', parent, { birthDate: born(13, 0) }, undefined, 'pulse blood'],
    ['of whom the year alone is known', parent, { birthDate: born(13, 0).slice(0, 4) }, undefined, 'pulse blood'],
    ['who agreed at 16', parent, { birthDate: born(5) }, { birthDate: born(16, 0) }, 'pulse mood'],
    ['whose level fell', chosen('basics'), { birthDate: born(40) }, "SET level = 'papers'", '403'],
    [
      'whose level rose',
      chosen('basics'),
      { birthDate: born(40) },
      "SET level = 'read'",
      'pulse blood smoke mood psy file plain',
    ],
  ] as const)('opens for a patient %s what both levels permit', async (name, relationship, facts, event, expected) => {
    const patient = `x-${name.replaceAll(' ', '-')}`;
    const id = await connected(patient, relationship, facts);
    if (typeof event === 'object') {
      has(patient, event);
      await portal.query("UPDATE representation_relationship SET agreed_steps = '{16}' WHERE id = $1", [id]);
    } else if (event) await portal.query(`UPDATE representation_relationship ${event} WHERE id = $1`, [id]);
    await tellNodes(portal, relationshipsChanged);
    const answer = await gateway.get(`/fhir/Observation?patient=${patient}`, withToken(patient));
    const { entry = [] } = answer.json<{ entry?: { resource: { id: string } }[] }>();
    const shown = entry.map(({ resource }) => resource.id.replace(`${patient}-`, ''));
    expect(answer.status === 200 ? shown.sort() : [String(answer.status)]).toEqual(expected.split(' ').sort());
  });

  it('opens the same on a node that has never read the record, while the FHIR server does not answer for it', async () => {
    await connected('outage', parent, { birthDate: born(14) });
    await connected('corrected', parent, { birthDate: born(5) });
    has('corrected', { birthDate: born(18, 0) });
    server.fails = /Patient\/(outage|corrected)$/;
    const statusOf = async (path: string) =>
      (await gateway.get(`/fhir/${path}`, withToken(path.includes('outage') ? 'outage' : 'corrected'))).status;
    for (const [path, expected] of [
      ['Observation/outage-blood', 200],
      ['Observation/outage-smoke', 404],
      ['Immunization/outage-shot', 403],
      ['Observation/corrected-smoke', 200],
    ] as const) {
      expect([path, await statusOf(path)]).toEqual([path, expected]);
    }
    server.fails = undefined;
  });

  it('opens no further types when the level rises, before the app asks again', async () => {
    const id = await connected('risen', chosen('basics'), { birthDate: born(40) });
    await portal.query("UPDATE representation_relationship SET level = 'read' WHERE id = $1", [id]);
    await tellNodes(portal, relationshipsChanged);
    for (const [path, expected] of [
      ['Observation/risen-smoke', 200],
      ['Condition/risen-asthma', 403],
      ['DocumentReference/risen-plan', 403],
    ] as const) {
      expect([path, (await gateway.get(`/fhir/${path}`, withToken('risen'))).status]).toEqual([path, expected]);
    }
  });

  it('opens by a decision of administrators without a birth date, until the record has one', async () => {
    const id = await connected('unknown', parent, { birthDate: born(5) });
    await portal.query(
      "UPDATE representation_relationship SET without_birth_date = true, level = 'daily' WHERE id = $1",
      [id],
    );
    has('unknown', {});
    await tellNodes(portal, relationshipsChanged);
    const idsOf = async (node: number) => {
      const answer = await new Agent(portal.issuer, portal.ports[node]).get(
        addressFor('unknown', 'Observation'),
        withToken('unknown'),
      );
      if (answer.status !== 200) return answer.status;
      const { entry = [] } = answer.json<{ entry?: { resource: { id: string } }[] }>();
      return entry.map(({ resource }) => resource.id.replace('unknown-', '')).sort();
    };
    expect(await idsOf(1)).toEqual(['blood', 'pulse']);
    // The node that has read the record with a birth date applies the table.
    expect(await idsOf(0)).toEqual(['blood', 'pulse']);
  });
});
