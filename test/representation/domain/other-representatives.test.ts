import { type LevelRule, PermittedRecord } from '../../../src/representation/application/permitted-record.js';

const base = 'https://fhir.hospital.example/r4';
const without = { types: [], categories: [], securityLabels: [], codes: [] };
const self = {
  patient: 'leo',
  person: 'RelatedPerson/ana',
  local: (reference: string) => reference.replace(`${base}/`, ''),
};
const rule = (kinds: LevelRule['kinds']): LevelRule => ({ id: 'x', label: 'X', kinds, without, change: [] });
const record = (levels: LevelRule[], basis = 'voluntary', own = self) => new PermittedRecord({ levels, basis }, own);
const full = rule('full');
const concept = (code: string, system = 'urn:codes') => ({ coding: [{ system, code }] });
const of = (resourceType: string, more: object = {}) => ({
  resourceType,
  id: 'x',
  subject: { reference: 'Patient/leo' },
  ...more,
});

describe('A representative sees of other representatives', () => {
  const agent = (who: object) => of('Provenance', { target: [{ reference: 'Condition/c' }], agent: [{ who }] });

  test.each<[string, object, boolean]>([
    ['themselves', { resourceType: 'RelatedPerson', id: 'ana' }, true],
    ['no other RelatedPerson', { resourceType: 'RelatedPerson', id: 'rui' }, false],
    ['no Person', { resourceType: 'Person', id: 'ana' }, false],
    ['no AuditEvent', of('AuditEvent'), false],
    [
      'no contained RelatedPerson',
      of('Condition', { contained: [{ resourceType: 'RelatedPerson', id: 'ana' }] }),
      false,
    ],
    ['no contained Person', of('Condition', { contained: [{ resourceType: 'Person', id: 'p' }] }), false],
    ['a Provenance of staff', agent({ reference: 'Practitioner/d' }), true],
    ['a Provenance of the patient', agent({ reference: `${base}/Patient/leo/_history/2` }), true],
    ['a Provenance of their own', agent({ reference: `${base}/RelatedPerson/ana` }), true],
    ['no Provenance about another one', of('Provenance', { target: [{ reference: 'RelatedPerson/rui' }] }), false],
    ['a Provenance about themselves', of('Provenance', { target: [{ reference: 'RelatedPerson/ana' }] }), true],
    ['no Provenance of another one', agent({ reference: 'RelatedPerson/rui' }), false],
    [
      'no Provenance of another one at another server',
      agent({ reference: 'https://x.example/RelatedPerson/ana' }),
      false,
    ],
    ['no Provenance of another patient', agent({ reference: 'Patient/rui' }), false],
    ['no Provenance by an identifier', agent({ type: 'RelatedPerson', identifier: { value: '1' } }), false],
    [
      'a Provenance that names an organization',
      agent({ type: 'http://hl7.org/fhir/StructureDefinition/Organization' }),
      true,
    ],
    [
      'no Provenance on behalf of another one',
      of('Provenance', { agent: [{ who: { display: 'x' }, onBehalfOf: { reference: 'RelatedPerson/rui' } }] }),
      false,
    ],
    [
      'no Provenance that another one signed',
      of('Provenance', { signature: [{ who: { reference: 'RelatedPerson/rui' } }] }),
      false,
    ],
    [
      'no Provenance of what another one wrote',
      of('Provenance', { entity: [{ what: {}, agent: [{ who: { reference: 'RelatedPerson/rui' } }] }] }),
      false,
    ],
    [
      'a Consent to research',
      of('Consent', { category: [concept('RESEARCH')], performer: [{ reference: 'Patient/leo' }] }),
      true,
    ],
    [
      'no Consent that a RelatedPerson gave',
      of('Consent', { performer: [{ reference: `${base}/RelatedPerson/rui` }] }),
      false,
    ],
    [
      'no Consent that lets another patient act',
      of('Consent', { provision: { actor: [{ reference: { reference: `${base}/Patient/rui` } }] } }),
      false,
    ],
    ['no Consent by an identifier of a patient', of('Consent', { performer: [{ type: 'Patient' }] }), false],
    [
      'no Consent about a person of a type',
      of('Consent', { provision: { provision: [{ actor: [{ reference: { type: 'Person' } }] }] } }),
      false,
    ],
    ['no power of attorney', of('Consent', { category: [concept('64298-3', 'http://loinc.org')] }), false],
    [
      'no Consent with the role of a guardian',
      of('Consent', { provision: { actor: [{ role: concept('GUARD') }] } }),
      false,
    ],
  ])('%s', (_what, resource, expected) => {
    expect(record([full]).permits(resource)).toBe(expected);
    expect(record([full, rule(['Condition', 'Provenance', 'Consent', 'AuditEvent'])]).permits(resource)).toBe(expected);
  });

  it.each(['POWATT', 'DPOWATT', 'HPOWATT', 'SPOWATT', 'RESPRSN', 'GUADLTM', 'GUARD', 'DELEGATEE', 'dpoa', 'hcd'])(
    'no Consent with the code %s',
    (code) => expect(record([full]).permits(of('Consent', { scope: concept(code) }))).toBe(false),
  );

  /** The innermost object is so many levels deep in the resource. */
  const nested = (levels: number, innermost: object): object =>
    levels === 1 ? { inner: innermost } : { inner: nested(levels - 1, innermost) };

  it('what names others at most forty levels deep', () => {
    const rui = { reference: 'RelatedPerson/rui' };
    expect(record([full]).permits(of('Provenance', nested(40, rui)))).toBe(false);
    expect(record([full]).permits(of('Provenance', nested(41, rui)))).toBe(true);
    expect(record([full]).permits(of('Provenance', { inner: null }))).toBe(true);
  });

  it.each([
    ['their own person, by a version', { reference: `${base}/RelatedPerson/ana/_history/2` }, true],
    ['another one, by a version', { reference: 'RelatedPerson/rui/_history/2' }, false],
    [
      'a person by the definition of its type',
      { type: 'http://hl7.org/fhir/StructureDefinition/RelatedPerson', identifier: { value: '1' } },
      false,
    ],
  ])('as who did something %s', (_who, who, expected) => {
    expect(record([full]).permits(agent(who))).toBe(expected);
  });

  it('nothing where the server has no resource of theirs', () => {
    const { person: _person, ...unknown } = self;
    expect(
      record([full], 'voluntary', unknown as typeof self).permits({ resourceType: 'RelatedPerson', id: 'ana' }),
    ).toBe(false);
    expect(record([full], 'voluntary', unknown as typeof self).permitsType('RelatedPerson')).toBe(false);
  });
});
