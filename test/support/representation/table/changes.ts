import { kimHerself } from './record.js';

/** A change: what is asked, and for each of the columns the status of the answer, or `no` for any refusal. */
interface TableChange {
  method: string;
  path: string;
  body: unknown;
  expected: string;
  headers: Record<string, string>;
}

const change = (
  method: string,
  path: string,
  body: unknown,
  expected: string,
  headers: Record<string, string> = { 'content-type': 'application/fhir+json' },
): TableChange => ({ method, path, body, expected, headers });
const forbidden = '403 403 403 403 403';
const refused = 'no no no no no';
const mhCode = { meta: { security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'MH' }] } };
const kimRef = { reference: 'Patient/kim' };
const cat = (code: string) => ({ category: [{ coding: [{ system: 'urn:c', code }] }] });
const obs = (id: string | undefined, more: object = {}) => ({
  resourceType: 'Observation',
  ...(id && { id }),
  status: 'final',
  subject: kimRef,
  code: { text: 'x' },
  ...cat('vital-signs'),
  ...more,
});
const json = { 'content-type': 'application/json-patch+json' };
const merge = { 'content-type': 'application/merge-patch+json' };
const patient = () => kimHerself({ birthDate: '1980-05-05' });
const tx = (type: string, ...entries: [string, string, object?][]) => ({
  resourceType: 'Bundle',
  type,
  entry: entries.map(([method, url, resource]) => ({ ...(resource && { resource }), request: { method, url } })),
});
const parameters = (type: string, path: string, name: string, value?: object) => ({
  resourceType: 'Parameters',
  parameter: [
    {
      name: 'operation',
      part: [
        { name: 'type', valueCode: type },
        { name: 'path', valueString: path },
        ...(name ? [{ name: 'name', valueString: name }] : []),
        ...(value ? [{ name: 'value', ...value }] : []),
      ],
    },
  ],
});

export const tableChanges: readonly TableChange[] = [
  change('POST', '/$graphql', { query: '{ObservationList{id}}' }, refused),
  change('POST', '/Patient/$match', { resourceType: 'Parameters' }, refused),
  change(
    'POST',
    '/Subscription',
    { resourceType: 'Subscription', criteria: 'Observation?', status: 'requested', channel: { type: 'rest-hook' } },
    refused,
  ),
  change('POST', '/Group', { resourceType: 'Group', member: [{ entity: kimRef }] }, '201 201 403 403 403'),
  change('PUT', '/Observation/vit', obs('vit', { note: [{ text: 'n' }] }), '200 200 403 200 403'),
  change('PUT', '/Observation/vit', obs('vit', { category: undefined }), '200 200 403 403 403'),
  change('PUT', '/Observation/vit', obs('vit', cat('social-history')), '200 200 403 403 403'),
  change('PUT', '/Observation/vit', obs('vit', mhCode), '200 403 403 200 403'),
  change('PUT', '/Observation/mood', obs('mood', mhCode), '200 404 no 200 no'),
  change('PUT', '/Observation/mood', obs('mood'), '403 404 no 403 no'),
  change('PUT', '/Observation/soc', obs('soc', cat('social-history')), '200 200 no 404 no'),
  change('PUT', '/Observation/soc', obs('soc', cat('vital-signs')), '403 403 no 404 no'),
  change('PUT', '/Observation/vit', obs('vit', { subject: { reference: 'Patient/lou' } }), refused),
  change('PUT', '/Observation/vit', obs('vit', { subject: undefined }), refused),
  change('PUT', '/Observation/lou-vit', obs('lou-vit'), refused),
  change('PUT', '/Observation/ana-vit', obs('ana-vit'), refused),
  change('POST', '/Observation', obs(undefined), '201 201 403 201 403'),
  change('POST', '/Observation', obs(undefined, mhCode), '201 403 403 201 403'),
  change('POST', '/Observation', obs(undefined, cat('social-history')), '201 201 403 403 403'),
  change('POST', '/Observation', obs(undefined, { subject: { reference: 'Patient/lou' } }), refused),
  change('POST', '/Observation', obs(undefined, { subject: { reference: 'Patient/ana' } }), refused),
  change(
    'POST',
    '/Observation',
    obs(undefined, { valueAttachment: { url: 'https://x.example/a' } }),
    '. . 403 403 403',
  ),
  change(
    'POST',
    '/Observation',
    obs(undefined, {
      contained: [{ resourceType: 'RelatedPerson', id: 'c', patient: kimRef }],
      performer: [{ reference: '#c' }],
    }),
    refused,
  ),
  change('POST', '/RelatedPerson', { resourceType: 'RelatedPerson', patient: kimRef }, forbidden),
  change('POST', '/Person', { resourceType: 'Person', link: [{ target: kimRef }] }, forbidden),
  change('POST', '/Consent', { resourceType: 'Consent', patient: kimRef, status: 'active' }, forbidden),
  change('POST', '/AuditEvent', { resourceType: 'AuditEvent', entity: [{ what: kimRef }] }, forbidden),
  change('PUT', '/Consent/research', { resourceType: 'Consent', id: 'research', patient: kimRef }, forbidden),
  change('DELETE', '/Consent/research', undefined, forbidden),
  change('PUT', '/RelatedPerson/ana', { resourceType: 'RelatedPerson', id: 'ana', patient: kimRef }, forbidden),
  change('DELETE', '/RelatedPerson/ana', undefined, forbidden),
  change('PATCH', '/RelatedPerson/ana', [{ op: 'add', path: '/active', value: true }], forbidden, json),
  change('PUT', '/Patient/kim', { ...patient(), gender: 'male' }, '200 200 403 403 403'),
  change('PUT', '/Patient/kim', { ...patient(), birthDate: '2015-01-01' }, forbidden),
  change('PUT', '/Patient/kim', { ...patient(), birthDate: undefined }, forbidden),
  change('PUT', '/Patient/kim', { ...patient(), active: false }, forbidden),
  change('PUT', '/Patient/kim', { ...patient(), deceasedBoolean: false }, 'no . 403 403 403'),
  change('PUT', '/Patient/kim', { ...patient(), deceasedDateTime: '2026-01-01' }, forbidden),
  change(
    'PUT',
    '/Patient/kim',
    { ...patient(), link: [{ type: 'replaced-by', other: { reference: 'Patient/kim' } }] },
    forbidden,
  ),
  change('PATCH', '/Patient/kim', [{ op: 'replace', path: '/birthDate', value: '2015-01-01' }], forbidden, json),
  change('PATCH', '/Patient/kim', [{ op: 'remove', path: '/birthDate' }], forbidden, json),
  change('PATCH', '/Patient/kim', [{ op: 'replace', path: '/gender', value: 'male' }], '200 200 403 403 403', json),
  change('PATCH', '/Patient/kim', { birthDate: '2015-01-01' }, refused, merge),
  change('PATCH', '/Patient/kim', parameters('replace', 'Patient.birthDate', '', { valueDate: '2015-01-01' }), refused),
  change('PATCH', '/Patient/kim', parameters('add', 'Patient', 'active', { valueBoolean: false }), refused),
  change('DELETE', '/Patient/kim', undefined, forbidden),
  change('POST', '/Patient', { resourceType: 'Patient' }, forbidden),
  change('DELETE', '/Observation/vit', undefined, '200 200 403 200 403'),
  change('DELETE', '/Observation/soc', undefined, '. . . 404 no'),
  change('DELETE', '/Observation/lou-vit', undefined, refused),
  change(
    'PUT',
    '/Observation?identifier=urn:i|vit',
    { ...obs(undefined), identifier: [{ system: 'urn:i', value: 'vit' }] },
    '. . 403 . 403',
  ),
  change('DELETE', '/Observation?identifier=urn:i|mood', undefined, '. . no . no'),
  change(
    'PATCH',
    '/Observation/vit',
    [{ op: 'replace', path: '/status', value: 'amended' }],
    '200 200 403 200 403',
    json,
  ),
  change('PATCH', '/Observation/vit', [{ op: 'remove', path: '/category' }], '200 200 403 403 403', json),
  change('PATCH', '/Observation/mood', [{ op: 'remove', path: '/meta/security' }], '403 404 no 403 no', json),
  change(
    'PATCH',
    '/Observation/mood',
    [{ op: 'replace', path: '/meta/security/0/code', value: 'X' }],
    '403 404 no 403 no',
    json,
  ),
  change(
    'PATCH',
    '/Observation/vit',
    [{ op: 'replace', path: '/subject/reference', value: 'Patient/lou' }],
    refused,
    json,
  ),
  change(
    'PATCH',
    '/Condition/asthma',
    [{ op: 'add', path: '/note', value: [{ text: 'n' }] }],
    '200 . 403 200 403',
    json,
  ),
  change(
    'PATCH',
    '/MedicationRequest/syrup',
    [{ op: 'add', path: '/note', value: [{ text: 'n' }] }],
    '200 . 403 403 403',
    json,
  ),
  change(
    'POST',
    '/Binary',
    { resourceType: 'Binary', contentType: 'application/pdf', data: 'eA==', securityContext: kimRef },
    '. . 403 403 403',
  ),
  change(
    'POST',
    '/',
    tx(
      'transaction',
      ['PUT', 'Observation/vit', obs('vit')],
      ['PUT', 'Observation/lou-vit', obs('lou-vit', { subject: { reference: 'Patient/lou' } })],
    ),
    refused,
  ),
  change(
    'POST',
    '/',
    tx(
      'transaction',
      ['PUT', 'Observation/vit', obs('vit')],
      ['POST', 'RelatedPerson', { resourceType: 'RelatedPerson', patient: kimRef }],
    ),
    refused,
  ),
  change('POST', '/', tx('transaction', ['PUT', 'Patient/kim', { ...patient(), birthDate: '2000-01-01' }]), refused),
  change('POST', '/', tx('transaction', ['GET', 'Observation?patient=kim']), '. . . . no'),
];
