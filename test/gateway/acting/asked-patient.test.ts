import type { LevelRule } from '../../../src/representation/application/permitted-record.js';
import { startGateway, type TestGateway } from '../../support/fhir/gateway.js';
import { RecordServer } from '../../support/fhir/record-server.js';
import { searchParametersOf } from '../../support/fhir/search-definitions.js';

const nothing = { types: [], categories: [], securityLabels: [], codes: [] };
const full: LevelRule = { id: 'x', label: 'X', kinds: 'full', change: 'full', without: nothing };
const limited: LevelRule = { ...full, kinds: ['Observation'], change: ['Observation'] };
const detailed: LevelRule = { ...full, kinds: ['Observation', 'contact-details'], change: ['Observation'] };

/** What a Patient is shown by, and the rule for a parameter: it finds, never finds, or is refused. */
const limits = {
  'a limited level': [limited, 'voluntary'],
  'a limited level with contact details': [detailed, 'voluntary'],
  'a limited level with contact details, as a parent': [detailed, 'parental-responsibility'],
  'the full level': [full, 'voluntary'],
  'the full level, as a parent': [full, 'parental-responsibility'],
} as const;
type Limit = keyof typeof limits;
const each = Object.keys(limits) as Limit[];
const inPart = each.slice(0, 3);
const withDetails = each.slice(1);
const whole = each.slice(3);

const coded = (code: string) => ({ coding: [{ code }] });
const leo = {
  ...{ resourceType: 'Patient', id: 'leo', active: true, gender: 'male', birthDate: '1980-05-10' },
  meta: { source: 'urn:court', tag: [{ code: 'foster-care' }], profile: ['urn:p'], security: [{ code: 'N' }] },
  identifier: [
    { type: coded('MR'), system: 'urn:mr', value: '7' },
    { type: coded('SS'), system: 'urn:ss', value: '123' },
  ],
  name: [{ family: 'Duarte', given: ['Leonardo'] }],
  address: [
    { use: 'home', city: 'Refuge', state: 'Hidden', postalCode: '1234', country: 'PT', line: ['Quiet Street 1'] },
  ],
  telecom: [
    { system: 'email', value: 'leo@refuge.example' },
    { system: 'phone', value: '555' },
  ],
  contact: [{ name: { family: 'Sa' } }],
  communication: [{ language: coded('pt') }],
  generalPractitioner: [{ reference: 'Practitioner/dr' }],
  managingOrganization: { reference: 'Organization/clinic' },
  link: [{ type: 'replaces', other: { reference: 'Patient/old' } }],
  deceasedDateTime: '2026-01-01',
};

/** A value of the patient, one that is not, and where the first one finds. All other parameters find nowhere. */
const asked: Readonly<Record<string, [own: string, other: string, shownAt: readonly Limit[]]>> = {
  family: ['Duarte', 'Silva', each],
  given: ['Leonardo', 'Rui', each],
  name: ['Duarte', 'Silva', each],
  phonetic: ['Duarte', 'Silva', each],
  gender: ['male', 'female', each],
  birthdate: ['1980-05-10', '1980-05-11', each],
  address: ['Refuge', 'Porto', withDetails],
  'address-city': ['Refuge', 'Porto', withDetails],
  'address-state': ['Hidden', 'Open', withDetails],
  'address-postalcode': ['1234', '4321', withDetails],
  'address-country': ['PT', 'ES', withDetails],
  'address-use': ['home', 'work', withDetails],
  telecom: ['555', '556', withDetails],
  phone: ['555', '556', withDetails],
  email: ['leo@refuge.example', 'leo@home.example', withDetails],
  link: ['Patient/old', 'Patient/new', withDetails],
  active: ['true', 'false', whole],
  'death-date': ['2026-01-01', '2026-01-02', whole],
  'general-practitioner': ['Practitioner/dr', 'Practitioner/other', whole],
  organization: ['Organization/clinic', 'Organization/other', whole],
  language: ['pt', 'es', whole],
  _tag: ['foster-care', 'other', whole],
  _source: ['urn:court', 'urn:other', whole],
};
/** Parameters for which the server here finds nothing. */
const ofExtensions = ['age', 'birthOrderBoolean', 'mothersMaidenName', 'race', 'ethnicity'];
const more = ['deceased', ...ofExtensions];
const unknown = 'contact-name';

let server: RecordServer;
let gateway: TestGateway;
let token: string;
let limit: Limit;

beforeAll(async () => {
  server = await new RecordServer([...ofExtensions, unknown]).start();
  server.have(leo, { resourceType: 'Observation', id: 'o', subject: { reference: 'Patient/leo' } });
  const represented = {
    protection: { categories: [], codes: [] },
    forRequest: async () => {
      const [level, basis] = limits[limit];
      return { permitted: true as const, levels: [level], basis, relationship: 'r' };
    },
  };
  gateway = await startGateway(server.upstream.url, {}, { represented });
  await gateway.loadCapabilities();
  token = gateway.tokenFor('patient/*.cruds', { accountId: 'ana', patient: 'leo', representation: 'r' });
});

afterAll(async () => {
  await gateway.close();
  server.upstream.close();
});

const json = { accept: 'application/fhir+json', 'content-type': 'application/fhir+json' };
const form = { ...json, 'content-type': 'application/x-www-form-urlencoded' };
const bundle = (type: string, entry: object) => JSON.stringify({ resourceType: 'Bundle', type, entry: [entry] });
const observation = (reference: string) => ({ resourceType: 'Observation', subject: { reference } });

/** Each way to ask: the address, and how. */
const forms: Readonly<Record<string, (condition: string) => [path: string, init?: RequestInit]>> = {
  'by GET': (condition) => [`/Patient?${condition}`],
  'by GET, with the id': (condition) => [`/Patient?_id=leo&${condition}`],
  'by POST': (condition) => ['/Patient/_search', { method: 'POST', headers: form, body: condition }],
  'for a number': (condition) => [`/Patient?${condition}&_summary=count`],
  'for one of none': (condition) => [`/Patient?${condition}&_count=0`],
  'with the number': (condition) => [`/Patient?${condition}&_total=accurate`],
  'for some elements': (condition) => [`/Patient?${condition}&_elements=id`],
  'in a batch': (condition) => [
    '/',
    { method: 'POST', body: bundle('batch', { request: { method: 'GET', url: `Patient?${condition}` } }) },
  ],
};

/** Ways that a token of one patient does not have, or has for other conditions. */
const closed: typeof forms = {
  'by a chain': (condition) => [`/Observation?patient.${condition}`],
  'by a chain of a type': (condition) => [`/Observation?subject:Patient.${condition}`],
  'by a reverse chain': (condition) => [`/Patient?_has:Patient:link:${condition}`],
  'to change': (condition) => [
    `/Patient?${condition}`,
    { method: 'PUT', body: JSON.stringify({ ...leo, id: undefined }) },
  ],
  'to patch': (condition) => [
    `/Patient?${condition}`,
    {
      method: 'PATCH',
      headers: { ...json, 'content-type': 'application/json-patch+json' },
      body: JSON.stringify([{ op: 'add', path: '/language', value: 'pt' }]),
    },
  ],
  'to delete': (condition) => [`/Patient?${condition}`, { method: 'DELETE' }],
  'to create': (condition) => [
    '/Patient',
    {
      method: 'POST',
      headers: { ...json, 'if-none-exist': condition },
      body: JSON.stringify({ resourceType: 'Patient' }),
    },
  ],
  'by a reference': (condition) => [
    '/',
    {
      method: 'POST',
      body: bundle('transaction', {
        request: { method: 'POST', url: 'Observation' },
        resource: observation(`Patient?${condition}`),
      }),
    },
  ],
};

async function ask(at: Limit, [path, init]: [path: string, init?: RequestInit]) {
  limit = at;
  server.upstream.requests.length = 0;
  const response = await gateway.fetch(path, token, { headers: json, ...init });
  return { status: response.status, text: await response.text() };
}

const query = (name: string, value: string) => String(new URLSearchParams([[name, value]]));
const finds = ({ text }: { text: string }) => text.includes('"id":"leo"') || text.includes('"total":1');

describe.each(each)('Who acts for a patient at %s', (at) => {
  it.each(Object.entries(asked))('asks about the Patient by %s as far as it is shown', async (name, row) => {
    const [own, other, shownAt] = row;
    const isShown = shownAt.includes(at);
    for (const [how, request] of Object.entries(forms)) {
      const [right, wrong] = [await ask(at, request(query(name, own))), await ask(at, request(query(name, other)))];
      expect([how, finds(right), finds(wrong)]).toEqual([how, isShown, false]);
      if (isShown) continue;
      expect([how, right]).toEqual([how, wrong]);
      expect([how, server.upstream.requests]).toEqual([how, []]);
    }
  });

  it('finds by the record number, and by other identifiers only where these are shown', async () => {
    for (const [value, isOfRecord] of [
      ...(['7', 'urn:mr|7', 'urn:mr|', '8,7'] as const).map((one) => [one, true] as const),
      ...(['123', 'urn:ss|123', 'urn:ss|', '8,123'] as const).map((one) => [one, false] as const),
    ]) {
      for (const [how, request] of Object.entries(forms)) {
        const found = await ask(at, request(query('identifier', value)));
        expect([value, how, finds(found)]).toEqual([value, how, isOfRecord || !inPart.includes(at)]);
        const none = await ask(at, request(query('identifier', '8')));
        if (!isOfRecord && inPart.includes(at)) expect([value, how, found]).toEqual([value, how, none]);
      }
    }
    for (const modifier of ['not', 'missing', 'text', 'exact']) {
      const { status } = await ask(at, [`/Patient?${query(`identifier:${modifier}`, 'true')}`]);
      expect([modifier, status]).toEqual([modifier, inPart.includes(at) ? 403 : 200]);
    }
  });

  it('asks by further parameters where all of the Patient is shown', async () => {
    for (const name of [...more, unknown]) {
      const { status } = await ask(at, [`/Patient?${query(name, 'x')}`]);
      const isOpen = name === unknown ? at === 'the full level' : whole.includes(at);
      expect([name, status]).toEqual([name, isOpen ? 200 : 403]);
    }
  });

  it('learns nothing of hidden values by chains, conditions of changes and references', async () => {
    const pairs = Object.entries(asked).flatMap(([name, [own, other, shownAt]]) =>
      shownAt.includes(at) ? [] : [[name, own, other] as const],
    );
    if (inPart.includes(at)) pairs.push(['identifier', '123', '124']);
    for (const [name, own, other] of pairs) {
      for (const [how, request] of Object.entries(closed)) {
        const [right, wrong] = [await ask(at, request(query(name, own))), await ask(at, request(query(name, other)))];
        expect([name, how, right]).toEqual([name, how, wrong]);
        const sent = server.upstream.requests.map(({ url, body }) => url + body);
        expect([name, how, sent.filter((one) => one.includes(query(name, other)))]).toEqual([name, how, []]);
      }
    }
  });

  it('has what the Patient refers to included only by elements that are shown', async () => {
    for (const [name, isOpen] of [
      ['general-practitioner', whole.includes(at)],
      ['organization', whole.includes(at)],
      ['link', withDetails.includes(at)],
    ] as const) {
      const { status } = await ask(at, [`/Patient?_include=Patient:${name}`]);
      expect([name, status]).toEqual([name, isOpen ? 200 : 403]);
    }
  });
});

it('Each R4 search parameter of a Patient is in the table', () => {
  expect([...Object.keys(asked), 'identifier', ...more]).toEqual(expect.arrayContaining(searchParametersOf('Patient')));
});
