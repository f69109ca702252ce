import { identifierOf, TwoRecords, typesOfRecords, withoutRecord } from '../../support/fhir/two-records.js';
import { type Interaction, interactions, observation, waysToRefer } from '../../support/fhir/ways-to-refer.js';
import { inTurn } from '../../support/runs.js';

let records: TwoRecords;

beforeAll(async () => {
  records = await TwoRecords.start();
});

beforeEach(() => records.reset());

afterAll(() => records.close());

type Json = Record<string, unknown>;

const unclear = [
  { encounter: { reference: '/Encounter/of-p1' } },
  { encounter: { reference: './Encounter/of-p1' } },
  { encounter: { reference: ' Encounter/of-p1' } },
  { encounter: { reference: 'https://other.example/fhir/Encounter/of-p1' } },
  { encounter: { reference: 'https://other.example/Patient/p1/Encounter/x/y' } },
  { encounter: { reference: 'urn:uuid:7b9e4d0e-2f7f-4c5e-9f2b-6d3c8f1a0001' } },
  { encounter: { reference: 'Encounter?identifier=x' } },
  { valueAttachment: { url: 'http://BASE/Encounter?patient=p2' } },
  { focus: [{ reference: 'Whatever/1' }] },
  { focus: [{ reference: 'Bundle/b1' }] },
  { valueAttachment: { url: 'http://BASE/Binary/b1' } },
];

const tokens: Record<string, () => string> = {
  'patient/*.cruds': () => records.gateway.tokenFor('patient/*.cruds', { patient: 'p1' }),
  'user/*.cruds of a patient': () =>
    records.gateway.tokenFor('openid fhirUser user/*.cruds', { fhirUser: `${records.gateway.base}/Patient/p1` }),
  'patient/*.cruds of a category': () =>
    records.gateway.tokenFor('patient/*.cruds?category=laboratory', { patient: 'p1' }),
};
const unlimited: Record<string, () => string> = {
  'system/*.cruds': () => records.gateway.tokenFor('system/*.cruds'),
  'user/*.cruds of a practitioner': () =>
    records.gateway.tokenFor('user/*.cruds', { fhirUser: `${records.gateway.base}/Practitioner/d1` }),
  'a category of all patients': () => records.gateway.tokenFor('system/Observation.cruds?category=laboratory'),
  'a patient and a category of all patients': () =>
    records.gateway.tokenFor('patient/*.cruds user/Observation.cruds?category=laboratory', {
      patient: 'p1',
      fhirUser: `${records.gateway.base}/Practitioner/d1`,
    }),
};

interface Sent {
  status: number;
  /** The OperationOutcome of the request, or of the entry of a batch. */
  outcome: unknown;
  all: string[];
  writes: string[];
}

async function send(
  token: string,
  { method, path, headers = {}, body, finds }: Interaction,
  more: object,
): Promise<Sent> {
  records.found = finds ? [records.stored.get('Observation/of-p1') ?? {}] : [];
  records.taken();
  const response = await records.gateway.fetch(path, token, {
    method,
    headers: { 'content-type': 'application/fhir+json', ...headers },
    body: JSON.stringify(body(more)),
  });
  const answer = (await response.json()) as { entry?: { response: { status: string; outcome: unknown } }[] };
  const part = answer.entry?.[0]?.response;
  return {
    status: part ? Number(part.status) : response.status,
    outcome: part ? part.outcome : answer,
    ...records.taken(),
  };
}

const cases = Object.entries(interactions).map(([what, interaction], number) => ({ what, interaction, number }));

/** Each interaction is tried in each way, with the tokens in turn. */
describe.each(cases)('a $what with a token of one patient', ({ what, interaction, number }) => {
  const inEachWay = () =>
    Object.entries(waysToRefer(records)).flatMap(([way, referTo], index) =>
      inTurn(Object.entries(tokens), number + index).map(([who, token]) => ({
        way,
        who,
        token,
        referTo,
        turn: number + index,
      })),
    );
  const inEachToken = Object.entries(tokens);
  const kinds = ['Patient', ...typesOfRecords];
  const ofOther = (kind: string) => (kind === 'Patient' ? 'p2' : 'of-p2');

  test('refers to no resource of another record, and gets the same answer for a missing one', async () => {
    for (const { way, who, token, referTo, turn } of inEachWay()) {
      for (const kind of inTurn(kinds, turn)) {
        const other = await send(token(), interaction, referTo(`${kind}/${ofOther(kind)}`));
        expect([way, who, kind, other.status, other.writes]).toEqual([way, who, kind, 403, []]);
        const missing = await send(token(), interaction, referTo(`${kind}/none`));
        expect({ ...missing, all: missing.all.length }).toEqual({ ...other, all: other.all.length });
      }
    }
  });

  test('refers to resources of its own record, and to what is in no record', async () => {
    const own = ['Patient/p1', 'Appointment/shared', ...typesOfRecords.map((type) => `${type}/of-p1`)];
    for (const { way, who, token, referTo, turn } of inEachWay()) {
      for (const target of inTurn([...own, ...withoutRecord], turn)) {
        const { status, writes } = await send(token(), interaction, referTo(target));
        expect([way, who, target, status < 300, writes.length]).toEqual([way, who, target, true, 1]);
      }
    }
  });

  test.each(inTurn(inEachToken, number + 1))(
    'refers by an identifier to its own patient and to what is in no record only: %s',
    async (_who, token) => {
      const performer = (more: object) => ({ performer: [more] });
      const contained = (patient: string) => ({
        contained: [{ resourceType: 'Patient', id: 'c', identifier: [identifierOf(patient)] }],
      });
      const visit = (patient: string) => ({ identifier: { system: 'urn:visit', value: `visit-${patient}` } });
      for (const more of [
        performer({ identifier: identifierOf('p1') }),
        performer({ type: 'Patient', identifier: identifierOf('p1') }),
        performer({ reference: 'Patient/p1', identifier: identifierOf('p1') }),
        performer({ type: 'Practitioner', identifier: { system: 'urn:npi', value: '7' } }),
        { identifier: [{ value: '1', assigner: { identifier: { system: 'urn:npi', value: '7' } } }] },
        { encounter: { reference: 'Encounter/of-p1', ...visit('p1') } },
        contained('p1'),
      ]) {
        const { status, writes } = await send(token(), interaction, more);
        expect([more, status < 300, writes.length]).toEqual([more, true, 1]);
      }
      for (const patient of ['p2', 'none']) {
        for (const more of [
          performer({ identifier: identifierOf(patient) }),
          performer({ identifier: { ...identifierOf(patient), system: undefined } }),
          performer({ type: 'Patient', identifier: identifierOf(patient) }),
          performer({ type: 'http://hl7.org/fhir/StructureDefinition/Patient', identifier: identifierOf(patient) }),
          performer({ reference: 'Patient/p1', identifier: identifierOf(patient) }),
          performer({ reference: 'Practitioner/d1', type: 'Patient', identifier: identifierOf(patient) }),
          { encounter: { type: 'Encounter', ...visit(patient) } },
          { encounter: visit(patient) },
          { encounter: { reference: 'Encounter/of-p1', ...visit(patient) } },
          contained(patient),
        ]) {
          const { status, writes } = await send(token(), interaction, more);
          expect([more, status, writes]).toEqual([more, 403, []]);
        }
      }
    },
  );

  test.each(inTurn(inEachToken, number))(
    'refers in no form that a server may take for another resource: %s',
    async (_who, token) => {
      for (const more of unclear) {
        const text = JSON.stringify(more).replaceAll('http://BASE', records.gateway.base);
        const { status, writes } = await send(token(), interaction, JSON.parse(text));
        // In a transaction it is looked up within the token, and finds nothing.
        const isSearched = what.includes('in a transaction') && text.includes('"Encounter?');
        expect([more, status, writes]).toEqual([more, isSearched ? 412 : 403, []]);
      }
    },
  );
});

describe.each(cases.filter(({ what }) => !what.includes('conditional')))(
  'a $what with a token of no patient',
  ({ interaction, number }) => {
    test('refers to any resource', async () => {
      for (const [index, [way, referTo]] of Object.entries(waysToRefer(records)).entries()) {
        for (const [who, token] of inTurn(Object.entries(unlimited), number + index)) {
          const { status, writes } = await send(token(), interaction, referTo('Encounter/of-p2'));
          expect([way, who, status < 300, writes.length]).toEqual([way, who, true, 1]);
        }
      }
    });
  },
);

describe('references of a limited token', () => {
  const token = () => tokens['patient/*.cruds']?.() ?? '';
  const { create, update, patch } = interactions as Record<'create' | 'update' | 'patch', Interaction>;

  test('stay as they are in a resource that the token may read', async () => {
    const mother = {
      performer: [{ reference: 'Patient/p2', display: 'M.' }],
      hasMember: [{ reference: 'Observation/gone' }],
    };
    records.stored.set('Observation/of-p1', { ...records.stored.get('Observation/of-p1'), ...mother });
    expect((await send(token(), update, mother)).status).toBe(200);
    expect((await send(token(), patch, { status: 'final' })).status).toBe(200);
    expect((await send(token(), update, { ...mother, performer: [...mother.performer].reverse() })).status).toBe(200);
    for (const more of [
      { focus: mother.performer },
      { performer: [{ reference: 'Patient/p3' }] },
      { ...mother, focus: [{ reference: 'Patient/p2' }] },
    ]) {
      expect((await send(token(), update, more)).status).toBe(403);
    }
    const writer = records.gateway.tokenFor('patient/Observation.cud', { patient: 'p1' });
    expect((await send(writer, update, mother)).status).toBe(403);
  });

  test('name the signed-in user where the token tells who that is', async () => {
    const of = (scope: string) =>
      records.gateway.tokenFor(`${scope} patient/*.cruds`, {
        patient: 'p1',
        fhirUser: `${records.gateway.base}/Patient/p2`,
      });
    const byUser = { performer: [{ reference: 'Patient/p2' }] };
    expect((await send(of('openid fhirUser'), create, byUser)).status).toBe(201);
    expect((await send(of('openid'), create, byUser)).status).toBe(403);
  });

  test('are looked up once each, and 50 of them at most', async () => {
    const encounters = (count: number) => ({
      hasMember: Array.from({ length: count }, (_, index) => ({ reference: `Observation/o${index}` })),
    });
    for (let index = 0; index < 51; index += 1) {
      records.stored.set(`Observation/o${index}`, { ...records.stored.get('Observation/of-p1'), id: `o${index}` });
    }
    const most = await send(token(), create, { ...encounters(50), derivedFrom: encounters(50).hasMember });
    expect([most.status, most.all.length]).toEqual([201, 51]);
    const tooMany = await send(token(), create, encounters(51));
    expect([tooMany.status, tooMany.all]).toEqual([403, []]);
    expect(JSON.stringify(tooMany.outcome)).toContain('50 resources');
  });

  test('name an entry of the same transaction, which is checked itself', async () => {
    const name = (number: number) => `urn:uuid:7b9e4d0e-2f7f-4c5e-9f2b-6d3c8f1a000${number}`;
    const entry = (fullUrl: string, resource: Json) => ({
      fullUrl,
      resource,
      request: { method: 'POST', url: resource.resourceType },
    });
    const encounter = (patient: string) => ({
      resourceType: 'Encounter',
      subject: { reference: `Patient/${patient}` },
    });
    const transaction = async (scopes: string, ...entries: object[]) => {
      const practitioner = { patient: 'p1', fhirUser: `${records.gateway.base}/Practitioner/d1` };
      const body = () => ({ resourceType: 'Bundle', type: 'transaction', entry: entries });
      return (await send(records.gateway.tokenFor(scopes, practitioner), { method: 'POST', path: '', body }, {}))
        .status;
    };
    const own = 'patient/*.cruds';
    const referring = entry(name(1), observation({ encounter: { reference: name(2) } }));
    expect(await transaction(own, referring, entry(name(2), encounter('p1')))).toBe(200);
    expect(
      await transaction(
        own,
        entry(name(2), encounter(`p1`)),
        entry(name(1), observation({ note: [{ text: name(2) }] })),
      ),
    ).toBe(200);
    expect(await transaction(own, referring, entry(name(3), encounter('p1')))).toBe(403);
    expect(await transaction(own, referring, entry(name(2), encounter('p1')), entry(name(2), encounter('p1')))).toBe(
      400,
    );
    // Another scope of the same token permits the entry, and not the patient's.
    expect(await transaction(`${own} user/Encounter.c`, referring, entry(name(2), encounter('p2')))).toBe(403);
  });

  test('are refused before the server sees a resource that it would refuse itself', async () => {
    const invalid = await send(token(), create, {
      status: 17,
      unheardOf: {},
      encounter: { reference: 'Encounter/of-p2' },
    });
    expect(invalid).toEqual(await send(token(), create, { encounter: { reference: 'Encounter/of-p2' } }));
    expect(invalid.outcome).toEqual({
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'error',
          code: 'forbidden',
          diagnostics:
            "'Observation.encounter' refers to a resource that is not in the record of the patient of this token, or does not exist.",
        },
      ],
    });
  });
});

test('a create of a limited token is sent without an id, whose refusal would tell that it exists', async () => {
  const token = tokens['patient/*.cruds']?.() ?? '';
  const decimal = '"valueQuantity":{"value":1.50}';
  for (const { method, path, headers = {}, body } of Object.values(interactions).filter(
    ({ method }) => method === 'POST',
  )) {
    records.upstream.requests.length = 0;
    const text = JSON.stringify(body({ id: 'of-p2', valueQuantity: { value: 1.5 } })).replace(
      /"valueQuantity":{[^}]*}/,
      decimal,
    );
    const isUpdate = text.includes('"PUT"');
    const response = await records.gateway.fetch(path, token, {
      method,
      headers: { 'content-type': 'application/fhir+json', ...headers },
      body: isUpdate ? text.replace('"of-p2"', '"of-p1"') : text,
    });
    expect(response.status).toBeLessThan(300);
    const written =
      records.upstream.requests.findLast((request) => request.method === 'POST' || request.method === 'PUT')?.body ??
      '';
    expect([written.includes('of-p2'), written.includes(decimal)]).toEqual([false, true]);
  }
});
