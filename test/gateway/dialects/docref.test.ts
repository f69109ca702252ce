import { assertDocref, forServersDocref, searchForDocref } from '../../../src/gateway/domain/operations/docref.js';
import { DialectGateway, type TokenKind, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialect } from '../../support/fhir/dialects.js';
import { decisionOf } from '../../support/fhir/refusals.js';

const rows = ['HAPI', 'Epic'].map((name) => [name] as const);
const input = (...parameter: object[]) => ({ resourceType: 'Parameters', parameter });
const patient = { name: 'patient', valueId: 'a' };

async function told(response: Response): Promise<string> {
  const { entry = [], resourceType } = (await response.json()) as {
    resourceType: string;
    entry?: { resource: { resourceType: string; id: string } }[];
  };
  if (resourceType !== 'Bundle') return `${response.status}`;
  return [response.status, ...entry.map(({ resource }) => `${resource.resourceType}/${resource.id}`)].join(' ');
}

describe.each(rows)('The documents of a patient, asked for by $docref behind %s', (name) => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    gateway = await DialectGateway.start(dialect(name));
  });
  beforeEach(() => {
    gateway.server.requests.length = 0;
  });
  afterAll(() => gateway.close());

  const hasScope = (kind: TokenKind) => kind !== 'categories' && kind !== 'service';

  it.each(tokenKinds)('are those that the token for %s permits to search for', async (kind) => {
    const own = hasScope(kind) ? '200 DocumentReference/a-doc' : '403';
    const none = hasScope(kind) ? '200' : '403';
    const other = { everything: '200 DocumentReference/b-doc', practitioner: '200 DocumentReference/b-doc' };
    const type = { system: 'http://loinc.org', code: '18842-5' };
    const requests: [string, object[], string][] = [
      ['patient=a', [patient], own],
      ['patient=Patient/a', [{ name: 'patient', valueReference: { reference: 'Patient/a' } }], own],
      ['patient=a&start=2026-01-31', [patient, { name: 'start', valueDate: '2026-01-31' }], own],
      ['patient=a&start=2026-02-05', [patient, { name: 'start', valueDateTime: '2026-02-05' }], none],
      ['patient=a&end=2026-02-05', [patient, { name: 'end', valueDateTime: '2026-02-05' }], own],
      ['patient=a&end=2026-01-05', [patient, { name: 'end', valueDateTime: '2026-01-05' }], none],
      [
        'patient=a&type=http://loinc.org|18842-5',
        [patient, { name: 'type', valueCodeableConcept: { coding: [type] } }],
        own,
      ],
      [
        'patient=a&type=34133-9',
        [patient, { name: 'type', valueCodeableConcept: { coding: [{ code: '34133-9' }] } }],
        none,
      ],
      ['patient=a&on-demand=false', [patient, { name: 'on-demand', valueBoolean: false }], own],
      ['patient=b', [{ name: 'patient', valueId: 'b' }], other[kind as keyof typeof other] ?? none],
      ['patient=none', [{ name: 'patient', valueId: 'none' }], none],
    ];
    for (const [query, parameters, expected] of requests) {
      const asked = await told(await gateway.fetch(`/DocumentReference/$docref?${query}`, kind));
      const posted = await told(await gateway.send('POST', '/DocumentReference/$docref', kind, input(...parameters)));
      expect([query, asked, posted]).toEqual([query, expected, expected]);
    }
  });

  it('are asked of the operation of the server where it has one, and searched for otherwise', async () => {
    for (const kind of ['everything', 'patient'] as const) {
      gateway.server.requests.length = 0;
      await gateway.fetch('/DocumentReference/$docref?patient=Patient/a&start=2026', kind);
      const { pathname, searchParams } = new URL(gateway.server.requests[0]?.url ?? '', 'http://server');
      const search =
        kind === 'patient'
          ? 'period=ge2026&_sort=-date&patient=Patient/a'
          : 'patient=Patient/a&period=ge2026&_sort=-date';
      const operation = kind === 'patient' ? 'start=2026&patient=a' : 'patient=a&start=2026';
      expect([pathname, decodeURIComponent(String(searchParams))]).toEqual(
        name === 'Epic' ? ['/r4/DocumentReference/$docref', operation] : ['/r4/DocumentReference', search],
      );
    }
  });

  it('are never more than the categories of the token', async () => {
    const token = gateway.gateway.tokenFor('patient/DocumentReference.rs?category=clinical-note', { patient: 'a' });
    expect(await told(await gateway.gateway.fetch('/DocumentReference/$docref?patient=a', token))).toBe('200');
    expect(gateway.server.requests.map(({ url }) => url)).toEqual([expect.stringContaining('category=clinical-note')]);
  });

  it.each([
    '',
    'patient=',
    'patient=a&patient=b',
    'patient=a,b',
    'patient=a&start=gt2026',
    'patient=a&x=y',
    'patient=a&on-demand=maybe',
  ])('are not asked for by ?%s', async (query) => {
    for (const kind of ['everything', 'patient'] as const) {
      expect((await gateway.fetch(`/DocumentReference/$docref?${query}`, kind)).status).toBe(400);
    }
    expect(gateway.server.requests).toEqual([]);
  });

  it('are an operation of the CapabilityStatement, once', async () => {
    const { rest } = (await (await gateway.gateway.fetch('/metadata')).json()) as {
      rest: { resource: { type: string; operation?: { name: string; definition: string }[] }[] }[];
    };
    const found = rest[0]?.resource.find(({ type }) => type === 'DocumentReference')?.operation ?? [];
    expect(found.map(({ name }) => name)).toEqual(['docref']);
  });
});

it('needs its scope where it is left out of the operations without one', async () => {
  const gateway = await DialectGateway.start(dialect('HAPI'), {}, { operationsWithoutScope: [] });
  try {
    const ask = (scope: string) =>
      gateway.gateway.fetch('/DocumentReference/$docref?patient=a', gateway.gateway.tokenFor(scope, { patient: 'a' }));
    expect((await ask('patient/*.rs')).status).toBe(403);
    expect(await told(await ask('patient/*.rs patient/DocumentReference.$docref'))).toBe('200 DocumentReference/a-doc');
  } finally {
    await gateway.close();
  }
});

describe('The search for $docref', () => {
  const known = ['patient', 'period', 'date', 'type', 'format'];
  it('has the newest documents first, as far as the server sorts by date', () => {
    expect(searchForDocref([['patient', 'a']], known)).toEqual([
      ['patient', 'a'],
      ['_sort', '-date'],
    ]);
    expect(searchForDocref([['patient', 'a']], ['patient'])).toEqual([['patient', 'a']]);
  });

  it('has dates as periods and profiles as formats', () => {
    const asked = [
      ['start', '2026'],
      ['end', '2026-02'],
      ['profile', 'urn:x'],
      ['on-demand', 'false'],
      ['type', 'a|b'],
    ] as const;
    expect(searchForDocref(asked, [])).toEqual([
      ['period', 'ge2026'],
      ['period', 'le2026-02'],
      ['format', 'urn:x'],
      ['type', 'a|b'],
    ]);
  });

  it('finds no documents that would have to be made', () => {
    expect(decisionOf(() => searchForDocref([['on-demand', 'true']], []))).toBe(
      '400 not-supported: The FHIR server makes no documents on demand.',
    );
  });

  it('names the patient to the operation by the id', () => {
    expect(
      forServersDocref([
        ['patient', 'Patient/a'],
        ['type', 'Patient/a'],
      ]),
    ).toEqual([
      ['patient', 'a'],
      ['type', 'Patient/a'],
    ]);
  });

  it.each(['2026', '2026-01', '2026-01-31', '2026-01-31T10:00', '2026-01-31T10:00:00Z', '2026-01-31T10:00:00.5+01:00'])(
    'may start at %s',
    (start) => {
      expect(
        decisionOf(() =>
          assertDocref([
            ['patient', 'a'],
            ['start', start],
          ]),
        ),
      ).toBe('permitted');
    },
  );

  it.each(['', '26', '2026-1', '2026-01-31 10:00', 'x2026', '2026x', '2026,2027'])('may not end at %j', (end) => {
    expect(
      decisionOf(() =>
        assertDocref([
          ['patient', 'a'],
          ['end', end],
        ]),
      ),
    ).toBe("400 invalid: The operation $docref needs one usable value of 'end'.");
  });

  it.each([[[]], [['']], [['a', 'a']], [['a/b']], [['.']], [['..']], [['Group/a']], [['a'.repeat(65)]]])(
    'is not for the patients %j',
    (patients) => {
      expect(decisionOf(() => assertDocref(patients.map((id) => ['patient', id])))).toBe(
        "400 invalid: The operation $docref needs one usable value of 'patient'.",
      );
    },
  );
});
