/** The levels of the columns, each in a relationship of which it is the only limit. */
export const columns = ['full', 'private', 'teen', 'care', 'basics'] as const;

/**
 * What a request shows: ids, `-` for nothing (no match, or a refusal), `no` for a refusal, or its status; `.` where
 * another row tells.
 */
export const tableReads = `
/Observation?patient=kim&_security=MH | late mood | - | - | late mood | -
/Observation?patient=kim&_security=http://terminology.hl7.org/CodeSystem/v3-ActCode|MH | . | - | - | . | -
/Observation?patient=kim&category=social-history | soc | soc | 403 | 403 | 403
/Observation?category=vital-signs | . | measured told vit was | measured told vit was | inside late measured mood told vit was | measured told vit was
/Observation?category=laboratory | . | . | att lab | lab | 403
/Condition?patient=kim | . | asthma dream | asthma | . | 403
/Condition?patient=kim&_sort=-recorded-date&_count=10 | . | . | asthma | . | .
/Condition?identifier=grief | grief | - | - | . | 403
/Condition?identifier=urn:i|grief | . | - | - | . | .
/Condition?_id=grief | . | - | - | . | 403
/Condition?_id=grief,asthma | . | asthma | asthma | . | .
/Patient?address-city=Refuge | kim | . | kim | kim | -
/Patient?telecom=555 | . | . | . | . | -
/Patient?phone=555 | . | . | . | . | -
/Patient?identifier=SS-kim | kim | . | . | - | -
/Patient?identifier=MR-kim | kim | . | . | . | .
/Patient?_sort=address-city | . | . | . | . | kim
/Patient?link=Patient/lou | . | . | . | . | -
/Patient?_tag=foster | . | . | . | . | -
/Patient?_has:Observation:patient:category=social-history | . | . | - | - | -
/Patient?_has:Observation:patient:_security=MH | . | - | - | . | -
/Patient?_has:Condition:patient:identifier=grief | . | - | - | . | -
/Patient?_has:RelatedPerson:patient:address-city=Refuge | - | - | - | - | -
/Patient?_has:AuditEvent:patient:agent=kim | - | - | - | - | -
/Observation?_has:Provenance:target:agent=RelatedPerson/rui | - | - | - | - | -
/Observation?patient.address-city=Refuge | . | . | . | . | -
/Observation?subject:Patient.telecom=555 | . | . | . | . | -
/Observation?subject.link=lou | . | . | . | . | -
/Observation?patient=lou | - | - | - | - | -
/Observation?subject=Patient/lou | - | - | - | - | -
/Observation?subject:Patient=lou | - | - | - | - | -
/Observation?patient=Patient/ana | - | - | - | - | -
/Observation?subject=Patient/kim | . | . | . | . | measured told vit was
/Observation?subject:Patient=kim | . | . | . | . | measured told vit was
/Observation?patient=Patient/kim&patient=lou | - | - | - | - | -
/Observation?_filter=category eq social-history | . | . | - | . | -
/Observation?_text=x | . | . | . | . | no
/Observation?_content=x | . | . | . | . | no
/Observation?_query=x | no | no | no | no | no
/Observation?_summary=text | . | . | . | . | measured told vit was
/Observation?_elements=id | . | . | . | . | measured told vit was
/Observation?_summary=data | . | . | . | . | measured told vit was
/Observation?_id=vit&_include=Observation:subject | . | . | . | . | vit kim
/Observation?_id=measured&_include=Observation:performer | measured dr | measured dr | measured dr | measured dr | measured dr
/Observation?_id=vit&_include=* | no | no | no | no | no
/Observation?_id=vit&_revinclude=Provenance:target | vit by-ana by-kim by-staff | vit by-ana by-kim by-staff | . | 403 | 403
/Patient?_id=kim&_revinclude=Observation:patient | . | . | . | . | measured told vit was kim
/Patient?_id=kim&_revinclude=Condition:patient | . | . | asthma kim | . | 403
/Patient?_id=kim&_revinclude=RelatedPerson:patient | kim ana | . | . | . | kim ana
/Patient?_id=kim&_revinclude=AuditEvent:patient | 403 | 403 | 403 | 403 | 403
/Patient?_id=kim&_revinclude=Consent:patient | research kim | . | . | . | 403
/RelatedPerson?address-city=Refuge | - | - | - | - | -
/RelatedPerson/rui/_history | 404 | 404 | 404 | 404 | 404
/RelatedPerson/rui/_history/1 | 404 | 404 | 404 | 404 | 404
/Person/other | 403 | 403 | 403 | 403 | 403
/Person?patient=kim | 403 | 403 | 403 | 403 | 403
/AuditEvent?entity=Patient/kim | 403 | 403 | 403 | 403 | 403
/AuditEvent/seen/_history/1 | 403 | 403 | 403 | 403 | 403
/Consent/mandate | 404 | . | 404 | . | 403
/Provenance?target=Observation/mood | . | - | - | . | .
/Observation/_history | no | no | no | no | no
/_history | no | no | no | no | no
/Patient/kim/$everything?_type=Condition | . | . | asthma | . | 403
/Patient/kim/$everything?_type=Observation | . | . | . | . | measured told vit was
/Patient/kim/$everything?_type=AuditEvent | 403 | 403 | 403 | 403 | 403
/Patient/lou/$everything | no | no | no | no | no
/Patient/ana/$everything | no | no | no | no | no
/$export | no | no | no | no | no
/Patient/$export | no | no | no | no | no
/Group/g/$export | no | no | no | no | no
/$graphql?query={Patient(id:"kim"){id}} | no | no | no | no | no
/Group?member=Patient/kim | . | . | . | - | -
/Subscription | no | no | no | no | no
/Observation?_offset=2 | . | . | . | . | no
/Patient/kim/Condition | . | . | asthma | . | 403
/Patient/kim/* | no | no | no | no | no
/Patient/lou/Observation | - | - | - | - | -
/Practitioner?_has:Observation:performer:_security=MH | - | - | - | - | -
/Medication?_has:MedicationRequest:medication:patient=kim | . | . | - | . | -
`;

/** Conditions on versions and times tell nothing of what is private. */
export const tableConditions = `
/Observation/mood | if-none-match | W/"1" | 304 | 404 | 404 | 304 | 404
/Observation/mood | if-modified-since | Tue, 01 Jan 2030 00:00:00 GMT | 200 | 404 | 404 | 200 | 404
/Condition/grief | if-none-match | * | 304 | 404 | 404 | 304 | 403
`;

const acting = 'openid fhirUser patient/*.rs';

/** A token by its scopes and by what differs otherwise, what is asked, and the answer in each column. */
export const tableTokens: readonly [scope: string, facts: object, path: string, expected: string][] = [
  ['user/*.cruds', {}, '/Observation/vit', 'no no no no no'],
  ['user/*.cruds', {}, '/Observation/ana-vit', 'no no no no no'],
  ['user/*.cruds', { fhirUser: 'Patient/ana' }, '/Patient/ana', 'no no no no no'],
  ['user/*.rs patient/Observation.rs', {}, '/Condition/asthma', '403 403 403 403 403'],
  ['user/*.rs patient/Observation.rs', {}, '/Observation/ana-vit', '404 404 404 404 404'],
  ['system/*.rs', {}, '/Observation/vit', 'no no no no no'],
  ['system/*.rs', {}, '/Observation?patient=lou', 'no no no no no'],
  [acting, { fhirUser: 'Patient/ana' }, '/Patient/ana', '404 404 404 404 404'],
  [acting, { fhirUser: 'Patient/ana' }, '/Observation/ana-vit', '404 404 404 404 404'],
  [acting, { fhirUser: 'Patient/ana' }, '/RelatedPerson/ana', '403 403 403 403 403'],
  [acting, { fhirUser: 'Person/ana' }, '/RelatedPerson/ana', '403 403 403 403 403'],
  [acting, { fhirUser: 'Person/ana' }, '/Provenance/by-ana', '404 404 404 403 403'],
  [acting, { fhirUser: undefined }, '/Provenance/by-ana', '404 404 404 403 403'],
  [acting, { fhirUser: undefined }, '/Observation/vit', '200 200 200 200 200'],
  ['patient/Observation.rs?category=urn:c|laboratory', {}, '/Observation?patient=kim', 'att,lab att,lab att,lab lab .'],
  ['patient/Observation.rs?category=urn:c|laboratory', {}, '/Observation/vit', '404 404 404 404 .'],
  ['patient/Observation.rs?category=urn:c|laboratory', {}, '/Condition/asthma', '403 403 403 403 403'],
  ['patient/Observation.r', {}, '/Observation/vit', '200 200 200 200 200'],
  ['patient/Observation.r', {}, '/Observation?patient=kim', '403 403 403 403 403'],
  ['patient/*.read', {}, '/Observation/vit', '200 200 200 200 200'],
  ['patient/*.write', {}, '/Observation/vit', '403 403 403 403 403'],
  ['patient/Condition.rs', {}, '/Condition/grief', '200 404 404 200 403'],
  ['openid launch/patient', {}, '/Patient/kim', '403 403 403 403 403'],
  [acting, { representation: 'another' }, '/Observation/vit', '401 401 401 401 401'],
];

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/fhir+json' };
const posted = (body: string, headers: Record<string, string> = form) => ({ method: 'POST', headers, body });
const batchOf = (...urls: string[]) =>
  posted(
    JSON.stringify({
      ...{ resourceType: 'Bundle', type: 'batch' },
      entry: urls.map((url) => ({ request: { method: 'GET', url } })),
    }),
    json,
  );

/** Other forms of a request, as in {@link tableReads}. */
export const tableForms: readonly [path: string, init: RequestInit, expected: string][] = [
  ['/Observation/vit', { method: 'HEAD' }, '200 | 200 | 200 | 200 | 200'],
  ['/Observation/mood', { method: 'HEAD' }, '200 | 404 | 404 | 200 | 404'],
  ['/Condition/grief', { method: 'HEAD' }, '200 | 404 | 404 | 200 | 403'],
  ['/Patient/lou', { method: 'HEAD' }, '404 | 404 | 404 | 404 | 404'],
  ['/Observation/mood', { headers: { 'x-http-method-override': 'DELETE' } }, 'no | no | no | no | no'],
  ['/Observation/vit', { method: 'POST', headers: { 'x-http-method-override': 'GET' } }, 'no | no | no | no | no'],
  ['/Observation/mood?_format=json', {}, '. | 404 | 404 | . | 404'],
  ['/Observation/mood?_pretty=true', {}, '. | 404 | 404 | . | 404'],
  ['/Observation/mood?_elements=id', {}, '. | 404 | 404 | . | 404'],
  ['/Observation/mood?_summary=true', {}, '. | 404 | 404 | . | 404'],
  ['/Observation/mood/', {}, '. | no | no | . | no'],
  ['/observation/mood', {}, 'no | no | no | no | no'],
  ['/Observation//mood', {}, 'no | no | no | no | no'],
  ['/Observation/%2e%2e/Patient/lou', {}, 'no | no | no | no | no'],
  ['/Observation/mood%2f_history%2f1', {}, 'no | no | no | no | no'],
  ['/Patient/kim/../lou', {}, 'no | no | no | no | no'],
  ['/Observation/mood', { headers: { accept: 'application/fhir+xml' } }, '. | no | no | . | no'],
  ['/Observation?patient=kim', { headers: { prefer: 'respond-async' } }, '. | . | . | . | measured told vit was'],
  ['/Observation/_search', posted('patient=kim'), '. | . | . | . | measured told vit was'],
  ['/Observation/_search?patient=lou', posted('patient=kim'), '- | - | - | - | -'],
  ['/Observation/_search?patient=kim', posted('patient=lou'), '- | - | - | - | -'],
  ['/Patient/_search', posted('telecom=555'), '. | . | . | . | -'],
  ['/Patient/_search', posted('_has:Observation:patient:_security=MH'), '. | - | - | . | -'],
  ['/Condition/_search', posted('identifier=grief'), '. | - | - | . | 403'],
  ['/RelatedPerson/_search', posted('patient=kim'), 'ana | ana | ana | ana | ana'],
  ['/_search?_type=Observation', posted(''), 'no | no | no | no | no'],
  ['/?_type=Observation', {}, 'no | no | no | no | no'],
  ['/Observation/$validate', posted('{"resourceType":"Observation"}', json), 'no | no | no | no | no'],
  ['/Observation/mood/$meta', {}, 'no | no | no | no | no'],
  ['/Patient/kim/$everything?_since=2000-01-01&_type=RelatedPerson', {}, 'ana | ana | ana | ana | ana'],
  ['/Patient/kim/$everything?_count=1&_type=Immunization', {}, 'shot | shot | shot | 403 | shot'],
  ['/', batchOf('Observation/lou-vit', 'Patient/ana', 'RelatedPerson/rui', 'AuditEvent/seen'), '- | - | - | - | -'],
  [
    '/',
    batchOf('Observation?patient=lou', 'Observation?identifier=lou-vit', 'Patient/lou/$everything'),
    '- | - | - | - | -',
  ],
  [
    '/',
    batchOf('https://other.example/fhir/Observation/lou-vit', '/Patient/lou', '../Patient/lou'),
    '- | - | - | - | -',
  ],
];
