import { readAnnouncement } from '../../src/launch-context/domain/announcement.js';
import { readAnnouncementBody } from '../../src/launch-context/domain/announcement-body.js';
import { isSearchable, searchConditions } from '../../src/launch-context/domain/search-conditions.js';
import type { Problem } from '../../src/platform/errors.js';

const base = 'https://login.example/fhir';
const main = [base, 'https://fhir.example/r4'];
const ofNorth = [`${base}/north`];
const ofTenant = (tenant: string | undefined) => {
  if (tenant === undefined) return { own: main, others: ofNorth };
  return tenant === 'north' ? { own: ofNorth, others: main } : { own: [`${base}/${tenant}`], others: main };
};
const read = (form: Record<string, unknown>) => readAnnouncement(form, ofTenant);
const contextOf = (form: Record<string, unknown>) => read(form).context;
const itemsOf = (...items: unknown[]) => contextOf({ fhirContext: JSON.stringify(items) }).fhirContext;

function refusalOf(form: Record<string, unknown>): string | undefined {
  try {
    read(form);
    return undefined;
  } catch (error) {
    return `${(error as Problem).kind}: ${(error as Problem).message}`;
  }
}

const refusalOfItem = (item: unknown) => refusalOf({ fhirContext: JSON.stringify([item]) });

describe('the body of an announcement', () => {
  const parameters = (type: string | undefined, text: string) => {
    const body = readAnnouncementBody(type, text);
    return 'reason' in body ? body.reason : body.parameters;
  };
  const form = 'application/x-www-form-urlencoded';
  const json = 'application/json';

  it.each([
    [form, 'patient=Patient%2F1&intent=a+b&intent=c', { patient: 'Patient/1', intent: ['a b', 'c'] }],
    [`${form}; charset=utf-8`, '', {}],
    [
      json,
      '{"patient":"Patient/1","need_patient_banner":false,"user":null}',
      { patient: 'Patient/1', need_patient_banner: 'false' },
    ],
    [
      'Application/JSON;charset=utf-8',
      '{"fhirContext":[{"reference":"Task/1"}]}',
      { fhirContext: '[{"reference":"Task/1"}]' },
    ],
    [json, '{"patient":1,"encounter":{}}', { patient: 1, encounter: {} }],
  ])('as %s: %s', (type, text, expected) => {
    expect(parameters(type, text)).toEqual(expected);
  });

  it.each([
    [undefined, 'patient=1', 'it has no Content-Type'],
    ['text/plain', 'patient=1', 'this type is not supported'],
    [json, '', 'it is empty'],
    [json, 'patient=1', 'it is not JSON'],
    [json, '[1]', 'it is not an object'],
    [json, 'null', 'it is not an object'],
    [json, '"1"', 'it is not an object'],
    [json, '{"patient":"1","patient":"2"}', 'a member is there twice'],
    [json, `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 'it is nested too deeply'],
  ])('as %s with %.40s is refused: %s', (type, text, reason) => {
    expect(parameters(type, text)).toBe(reason);
  });

  it('of JSON means the same as a form', () => {
    const context = [{ reference: 'ImagingStudy/7', role: 'a' }];
    const asForm = new URLSearchParams({
      patient: '1',
      need_patient_banner: 'true',
      fhirContext: JSON.stringify(context),
    });
    const asJson = JSON.stringify({ patient: '1', need_patient_banner: true, fhirContext: context });
    const ofForm = parameters(form, String(asForm)) as Record<string, unknown>;
    expect(contextOf(parameters(json, asJson) as Record<string, unknown>)).toEqual(contextOf(ofForm));
    expect(refusalOf(parameters(json, '{"patient":1}') as Record<string, unknown>)).toBe(
      'invalid: patient must be a text',
    );
  });
});

describe('an announcement of an EHR', () => {
  it('is read member by member', () => {
    const form = {
      client_id: 'heart-companion',
      user: 'mira.hart',
      tenant: 'north',
      patient: '1',
      encounter: 'e-1',
      fhirContext: '[{"reference":"ImagingStudy/7"}]',
      need_patient_banner: 'true',
      intent: 'reconcile-medications',
      smart_style_url: 'https://ehr.example/style.json',
      unknown: 'ignored',
    };
    expect(read(form)).toEqual({
      clientId: 'heart-companion',
      user: 'mira.hart',
      tenant: 'north',
      context: {
        patient: '1',
        encounter: 'e-1',
        fhirContext: [{ reference: 'ImagingStudy/7' }],
        needPatientBanner: true,
        intent: 'reconcile-medications',
        smartStyleUrl: 'https://ehr.example/style.json',
      },
      unread: [{ name: 'unknown', known: expect.arrayContaining(['patient', 'smart_style_url']) }],
    });
  });

  it('names what it has and is not read, and nothing that has no value', () => {
    const items = [
      { reference: 'Task/1', Role: 'a', roles: 'b' },
      { reference: 'Task/2', Role: 'c', display: '' },
    ];
    const { unread } = read({ patient: '1', patient_id: '2', empty: '', fhirContext: JSON.stringify(items) });
    expect(unread.map(({ within, name, known }) => [within, name, known.length])).toEqual([
      [undefined, 'patient_id', 9],
      ['fhirContext', 'Role', 5],
      ['fhirContext', 'roles', 5],
    ]);
  });

  it('has no members for parameters that are left out or have no value', () => {
    const nothing = { clientId: undefined, user: undefined, tenant: undefined, context: {}, unread: [] };
    expect(read({})).toEqual(nothing);
    expect(read({ patient: '', intent: '', client_id: '', fhirContext: '[]' })).toEqual(nothing);
    expect(Object.keys(contextOf({}))).toEqual([]);
    expect(contextOf({ need_patient_banner: 'false' })).toEqual({ needPatientBanner: false });
  });

  it('has no parameter from the prototype of its form', () => {
    expect(contextOf(Object.create({ patient: '1' }))).toEqual({});
  });

  it.each([
    ['1', '1'],
    ['Patient/1', '1'],
    [`${base}/Patient/1`, '1'],
    ['https://fhir.example/r4/Patient/1', '1'],
    ['a'.repeat(64), 'a'.repeat(64)],
    ['Ab-1.2', 'Ab-1.2'],
    ['...', '...'],
  ])('names the patient as %s', (patient, id) => {
    expect(contextOf({ patient })).toEqual({ patient: id });
  });

  it('names patient, encounter and user below the base of its tenant', () => {
    const below = (root: string) => ({
      ...{ patient: `${root}/Patient/1`, encounter: `${root}/Encounter/2`, user: `${root}/Practitioner/3` },
    });
    expect(read({ ...below(`${base}/north`), tenant: 'north' })).toMatchObject({
      ...{ user: 'Practitioner/3', context: { patient: '1', encounter: '2' } },
    });
    expect(read({ user: `${base}/south/Practitioner/3`, tenant: 'north' }).user).toBe(`${base}/south/Practitioner/3`);
  });

  it('names the patient below the longer one of two bases, if one is below the other', () => {
    const bases = ['https://ehr.example/fhir', 'https://ehr.example/fhir/r4'];
    for (const order of [bases, bases.toReversed()]) {
      const idOf = (patient: string) =>
        readAnnouncement({ patient }, () => ({ own: order, others: [] })).context.patient;
      expect(bases.map((one) => idOf(`${one}/Patient/1`))).toEqual(['1', '1']);
    }
  });

  it.each([
    ['of another server', 'https://other.example/r4/Patient/1'],
    ['of another server whose name begins alike', 'https://fhir.example/r4b/Patient/1'],
    ['of another tenant', `${base}/north/Patient/1`],
    ['of another scheme', 'http://fhir.example/r4/Patient/1'],
  ])('is refused with a patient %s: the same id is another patient there', (_, patient) => {
    const message = 'must be below the FHIR base of the launch';
    const how = (type: string) => `: send ${type}/{id}, not an address of another`;
    expect(refusalOf({ patient })).toBe(`invalid: patient ${message}${how('Patient')}`);
    expect(refusalOf({ patient, tenant: 'south' })).toBe(`invalid: patient ${message}${how('Patient')}`);
    expect(refusalOf({ encounter: patient.replace('Patient', 'Encounter'), tenant: 'south' })).toBe(
      `invalid: encounter ${message}${how('Encounter')}`,
    );
  });

  it.each([
    ['patient', 'Practitioner/1', 'patient must be the id of a Patient'],
    ['patient', 'patient/1', 'patient must be written Patient/{id}'],
    ['encounter', 'ENCOUNTER/1', 'encounter must be written Encounter/{id}'],
    ['patient', 'a'.repeat(65), 'patient must be the id of a Patient'],
    ['patient', 'Patient/', 'patient must be the id of a Patient'],
    ['patient', '/Patient/1', 'patient must be the id of a Patient'],
    ['patient', 'x/Patient/1', 'patient must be the id of a Patient'],
    ['patient', 'Patient/1/_history/2', 'patient must be the id of a Patient'],
    ['patient', '.', 'patient must be the id of a Patient'],
    ['patient', 'Patient/..', 'patient must be the id of a Patient'],
    ['encounter', '/Encounter/1', 'encounter must be the id of a Encounter'],
    ['patient', 'ü1', 'patient must be the id of a Patient'],
    ['patient', '1ü', 'patient must be the id of a Patient'],
    ['encounter', 'Patient/1', 'encounter must be the id of a Encounter'],
    ['patient', ['1', '2'], 'patient is given more than once'],
    ['patient', 'https://ehr.example/mrn|7', 'patient must be Patient/{id}, and not an identifier (system|value)'],
    ['need_patient_banner', 'yes', 'need_patient_banner must be true or false'],
    ['need_patient_banner', 'TRUE', 'need_patient_banner must be true or false'],
    ['intent', 'a'.repeat(201), 'intent must be 1 to 200 printable characters'],
    ['intent', 'a\n', 'intent must be 1 to 200 printable characters'],
    ['intent', '\na', 'intent must be 1 to 200 printable characters'],
    ['client_id', 'ä', 'client_id must be 1 to 200 printable characters'],
    ['user', '\u0007', 'user must be 1 to 200 printable characters'],
    ['tenant', '\u007f', 'tenant must be 1 to 200 printable characters'],
    ['smart_style_url', 'style.json', 'smart_style_url must be an http(s) URL'],
    ['smart_style_url', 'javascript:alert(1)', 'smart_style_url must be an http(s) URL'],
    ['smart_style_url', 'httpsx://ehr.example/', 'smart_style_url must be an http(s) URL'],
    ['smart_style_url', `https://ehr.example/${'a'.repeat(1981)}`, 'smart_style_url must be an http(s) URL'],
    ['fhirContext', '{', 'fhirContext must be JSON'],
    ['fhirContext', '{}', 'fhirContext must be an array of objects, and is none'],
    ['fhirContext', '"a"', 'fhirContext must be an array of objects, and is none'],
  ])('is refused with %s=%s', (name, value, message) => {
    expect(refusalOf({ [name]: value })).toBe(`invalid: ${message}`);
  });

  it('accepts texts of 200 characters and addresses of 2000, also with http', () => {
    const address = `http://ehr.example/${'a'.repeat(1981)}`;
    expect(contextOf({ intent: 'a'.repeat(200), smart_style_url: address })).toEqual({
      intent: 'a'.repeat(200),
      smartStyleUrl: address,
    });
  });
});

describe('the fhirContext of an announcement', () => {
  it.each([
    ['a relative reference', { reference: 'ImagingStudy/1' }],
    ['a canonical', { canonical: 'https://example.org/Questionnaire/phq-9' }],
    ['a canonical by http', { canonical: `http://${'a'.repeat(2000)}` }],
    ['an identifier alone', { identifier: { system: 'https://example.org/mrn', value: '17' } }],
    ['a type beside the identifier', { identifier: { value: '17' }, type: 'DiagnosticReport' }],
    ['a role', { reference: 'ImagingStudy/1', role: 'https://example.org/role' }],
    ['a patient with a role of its own', { reference: 'Patient/2', role: 'donor' }],
    ['an encounter with a role of its own', { identifier: { value: '1' }, type: 'Encounter', role: 'earlier' }],
    ['an id of three dots', { reference: 'ImagingStudy/...' }],
    ['the longest id and type', { reference: `A${'b'.repeat(63)}/${'1'.repeat(64)}` }],
    ['the longest type', { identifier: {}, type: `A${'b'.repeat(63)}` }],
  ])('accepts an item with %s', (_, item) => {
    expect(itemsOf(item)).toEqual([item]);
  });

  it('keeps the members that SMART defines, and leaves out all others', () => {
    expect(itemsOf({ reference: 'ImagingStudy/1', display: 'MRI', __proto__: null })).toStrictEqual([
      { reference: 'ImagingStudy/1' },
    ]);
  });

  it('has at most 50 items', () => {
    const item = { reference: 'ImagingStudy/1' };
    expect(itemsOf(...Array(50).fill(item))).toHaveLength(50);
    expect(refusalOf({ fhirContext: JSON.stringify(Array(51).fill(item)) })).toBe(
      'invalid: fhirContext must have at most 50 objects, and has 51',
    );
  });

  const noName = 'each fhirContext item needs a reference, a canonical or an identifier';
  const reference = 'a fhirContext reference must be relative, such as ImagingStudy/1';
  const canonical = 'a fhirContext canonical must be an http(s) URL';
  const identifier = 'a fhirContext identifier must be an object';
  const type = 'a fhirContext type must be a resource type';
  const role = 'a fhirContext role must be 1 to 200 printable characters';
  const own = (name: string) =>
    `a ${name} in fhirContext needs a role of its own; the one of the launch is the parameter`;
  it.each([
    ['nothing that identifies it', { role: 'donor', type: 'Patient' }, noName],
    ['null', null, noName],
    ['a text', 'ImagingStudy/1', noName],
    ['an absolute reference', { reference: 'https://fhir.example/ImagingStudy/1' }, reference],
    ['a reference with a slash before it', { reference: '/ImagingStudy/1' }, reference],
    ['a reference to the folder above', { reference: 'ImagingStudy/..' }, reference],
    ['a reference that goes on', { reference: 'ImagingStudy/1/_history' }, reference],
    ['a type in small letters', { reference: 'imagingStudy/1' }, reference],
    ['a reference that is a number', { reference: 1 }, reference],
    ['a list of references', { reference: ['ImagingStudy/1'] }, reference],
    ['an id that is too long', { reference: `ImagingStudy/${'1'.repeat(65)}` }, reference],
    ['a type that is too long', { reference: `A${'b'.repeat(64)}/1` }, reference],
    ['a canonical of another scheme', { canonical: 'urn:oid:1.2' }, canonical],
    ['an address before the canonical', { canonical: 'x https://example.org' }, canonical],
    ['a space in the canonical', { canonical: 'https://example.org/a b' }, canonical],
    ['a canonical that is too long', { canonical: `https://${'a'.repeat(2001)}` }, canonical],
    ['a canonical that is a number', { canonical: 7 }, canonical],
    ['a list of canonicals', { canonical: ['https://example.org'] }, canonical],
    ['an identifier that is a text', { identifier: '17' }, identifier],
    ['an identifier that is null', { identifier: null }, identifier],
    ['an identifier that is a list', { identifier: [{ value: '17' }] }, identifier],
    ['a type that is no type', { identifier: {}, type: 'diagnosticReport' }, type],
    ['a type with a digit', { identifier: {}, type: 'Report1' }, type],
    ['a type of 65 letters', { identifier: {}, type: `A${'b'.repeat(64)}` }, type],
    ['a list of types', { identifier: {}, type: ['Report'] }, type],
    ['an empty role', { identifier: {}, role: '' }, role],
    ['a list of roles', { identifier: {}, role: ['donor'] }, role],
    ['a role of 201 characters', { identifier: {}, role: 'a'.repeat(201) }, role],
    ['a patient without a role', { reference: 'Patient/2' }, own('Patient')],
    ['a patient of the launch', { reference: 'Patient/2', role: 'launch' }, own('Patient')],
    ['a patient by identifier without a role', { identifier: {}, type: 'Patient' }, own('Patient')],
    ['an encounter without a role', { reference: 'Encounter/2' }, own('Encounter')],
  ])('refuses an item with %s', (_, item, message) => {
    expect(refusalOfItem(item)).toBe(`invalid: ${message}`);
  });

  it('has the type of its reference, whatever its member `type` contains', () => {
    expect(itemsOf({ reference: 'ImagingStudy/1', type: 'Patient' })).toHaveLength(1);
    expect(refusalOfItem({ reference: 'Patient/1', type: 'ImagingStudy' })).toBe(`invalid: ${own('Patient')}`);
  });

  it.each(['\u0000', '\ud800', '\udfff'])('refuses text that PostgreSQL cannot store (%#)', (text) => {
    expect(refusalOfItem({ identifier: { value: `a${text}` } })).toBe(
      'invalid: fhirContext has characters that cannot be stored',
    );
  });

  it('accepts surrogate pairs', () => {
    expect(itemsOf({ identifier: { value: '🫀' } })).toEqual([{ identifier: { value: '🫀' } }]);
  });
});

describe('the words of a search for the launch context', () => {
  const all = ['name', 'title', 'description', 'birthdate', 'date', 'started', 'identifier'];

  it.each(all)('can be searched where a server supports only %s', (name) => {
    expect(isSearchable(['_id', name])).toBe(true);
  });

  it('cannot be searched where the server supports no parameter for them', () => {
    expect(isSearchable(['_id', 'status'])).toBe(false);
    expect(isSearchable([])).toBe(false);
  });

  it.each([
    ['a name', 'ward', all, [['name', 'ward']]],
    [
      'several words',
      ' amelia\t ward ',
      all,
      [
        ['name', 'amelia'],
        ['name', 'ward'],
      ],
    ],
    ['no word', '  ', all, []],
    ['a day', '1980-02-03', all, [['birthdate', '1980-02-03']]],
    ['a month', '1980-02', all, [['birthdate', '1980-02']]],
    ['a day, where the server knows date', '1980-02-03', ['started', 'date'], [['date', '1980-02-03']]],
    ['a day, where the server knows started', '1980-02-03', ['started'], [['started', '1980-02-03']]],
    ['a word with a digit', 'mrn17', all, [['identifier', 'mrn17']]],
    ['a word with a digit, without identifiers', 'mrn17', ['title'], [['title', 'mrn17']]],
    ['a title', 'chest', ['description', 'title'], [['title', 'chest']]],
    ['a description', 'chest', ['description'], [['description', 'chest']]],
    ['a name with a separator', 'a,b|c$d\\e,', all, [['name', 'a\\,b\\|c\\$d\\\\e\\,']]],
    ['more than a day', '1980-02-031', all, [['identifier', '1980-02-031']]],
    ['more than a month', '11980-02', all, [['identifier', '11980-02']]],
    ['a day where no date is known', '1980-02-03', ['name', 'identifier'], undefined],
    ['a word that fits nothing', 'ward', ['identifier'], undefined],
    ['one word that fits and one that does not', '17 ward', ['identifier'], undefined],
  ])('are conditions of a FHIR search: %s', (_, term, known, conditions) => {
    expect(searchConditions(term, known)).toEqual(conditions);
  });
});
