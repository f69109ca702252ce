// @ts-check

/** @import { AskTemplate } from '../types.js' */

/**
 * A way to change or bind data of another patient. `alters` acts on a resource that the kit has just made with the
 * token of the other patient; `makes` writes what names that patient or such a resource; `tells` compares with the
 * same request about something that does not exist.
 *
 * @typedef {{
 *   id: string, title: string, why: string, section: string, kind: 'alters' | 'makes' | 'tells',
 *   asks: readonly AskTemplate[], isConditional?: boolean, needsOwn?: boolean, served?: string
 * }} ChangeWay
 */

const WRITE = 'SMART App Launch 2.2, scopes for requesting FHIR resources; FHIR R4 §3.1.0.5 to §3.1.0.8';
const BATCH = 'FHIR R4 §3.1.0.11';
const REFERENCE = 'FHIR R4 §2.3, §3.1.0.11.2';
const SUBJECT_B = '"subject":{"reference":"Patient/{B}"}';
const SUBJECT_A = '"subject":{"reference":"Patient/{A}"}';
/** `elements` are what the type needs, the tag and an identifier of the kit. */
const resource = (/** @type {string} */ more) => `{"resourceType":"{type}",{elements},${more}}`;
const stored = (/** @type {string} */ id, /** @type {string} */ more) => resource(`"id":"${id}",${more}`);
const bundle = (/** @type {string} */ type, /** @type {string} */ entry) =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entry}]}`;
const entry = (/** @type {string} */ method, /** @type {string} */ url, /** @type {string} */ body) =>
  `{${body === '' ? '' : `"resource":${body},`}"request":{"method":"${method}","url":"${url}"}}`;
/** @param {string} method @param {string} url @param {string} body @returns {AskTemplate[]} */
const bundled = (method, url, body) =>
  ['batch', 'transaction'].map((type) => ({
    method: 'POST',
    target: '',
    body: bundle(type, entry(method, url, body)),
  }));

const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };
const NOTE = '"note":[{"text":"changed"}]';
const BY_IDENTIFIER = '{type}?identifier={value|q}';
const fhirPatch = (/** @type {string} */ element, /** @type {string} */ value) =>
  `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},{"name":"path","valueString":"{type}.${element}"},{"name":"value",${value}}]}]}`;
const PATCHES = /** @type {AskTemplate[]} */ ([
  { method: 'PATCH', headers: JSON_PATCH, body: `[{"op":"add","path":"/language","value":"en"}]` },
  {
    method: 'PATCH',
    headers: JSON_PATCH,
    body: `[{"op":"replace","path":"/subject","value":{"reference":"Patient/{A}"}}]`,
  },
  { method: 'PATCH', body: fhirPatch('language', '"valueCode":"en"') },
  { method: 'PATCH', body: fhirPatch('subject', '"valueReference":{"reference":"Patient/{A}"}') },
  { method: 'PATCH', headers: { 'Content-Type': 'application/merge-patch+json' }, body: '{"language":"en"}' },
  {
    method: 'PATCH',
    headers: { 'Content-Type': 'application/xml-patch+xml' },
    body: '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:{type}/f:language/@value">en</replace></diff>',
  },
]);
const override = (/** @type {string} */ method) => ({ 'X-HTTP-Method-Override': method });

/** @type {ChangeWay[]} */
export const CHANGES = [
  {
    id: 'update-of-other',
    title: 'A resource of another record is updated',
    why: 'A change by a stranger is worse than a look: treatment follows from it.',
    section: WRITE,
    kind: 'alters',
    asks: [
      { method: 'PUT', target: '{type}/{made}', body: stored('{made}', `${SUBJECT_B},${NOTE}`) },
      { method: 'PUT', target: '{type}/{made}', body: stored('{made}', SUBJECT_A) },
      { method: 'PUT', target: '{type}/{made}', headers: { 'If-Match': 'W/"1"' }, body: stored('{made}', SUBJECT_A) },
      { method: 'PUT', target: '{type}/{made}?patient=Patient/{A}', body: stored('{made}', SUBJECT_A) },
    ],
  },
  {
    id: 'patch-of-other',
    title: 'A resource of another record is patched',
    why: 'A patch names no patient; the stored resource has to be looked at.',
    section: 'FHIR R4 §3.1.0.6',
    kind: 'alters',
    asks: PATCHES.map((ask) => ({ ...ask, target: '{type}/{made}' })),
  },
  {
    id: 'delete-of-other',
    title: 'A resource of another record is deleted',
    why: 'A deletion has no body in which a patient could be checked.',
    section: 'FHIR R4 §3.1.0.7',
    kind: 'alters',
    asks: [
      { method: 'DELETE', target: '{type}/{made}' },
      { method: 'DELETE', target: '{type}/{made}', headers: { 'If-Match': 'W/"1"' } },
      { method: 'DELETE', target: '{type}/{made}/' },
      { method: 'DELETE', target: '{type}/{made|pct}' },
    ],
  },
  {
    id: 'conditional-change-of-other',
    title: 'A conditional change finds and changes a resource of another record',
    why: 'The condition is a search; what it finds has to be limited like any other.',
    section: 'FHIR R4 §3.1.0.5.3, §3.1.0.7.1',
    kind: 'alters',
    isConditional: true,
    asks: [
      { method: 'PUT', target: BY_IDENTIFIER, body: resource(SUBJECT_A) },
      { method: 'PUT', target: BY_IDENTIFIER, body: resource(`${SUBJECT_B},${NOTE}`) },
      { method: 'PUT', target: '{type}?_id={made}', body: stored('{made}', SUBJECT_A) },
      { method: 'DELETE', target: BY_IDENTIFIER },
      { method: 'DELETE', target: '{type}?_id={made}' },
      ...PATCHES.slice(0, 3).map((ask) => ({ ...ask, target: BY_IDENTIFIER })),
    ],
  },
  {
    id: 'bundled-change-of-other',
    title: 'An entry of a batch or a transaction changes a resource of another record',
    why: 'Each entry is a request of its own.',
    section: BATCH,
    kind: 'alters',
    asks: [
      ...bundled('PUT', '{type}/{made}', stored('{made}', `${SUBJECT_B},${NOTE}`)),
      ...bundled('PUT', '{type}/{made}', stored('{made}', SUBJECT_A)),
      ...bundled('DELETE', '{type}/{made}', ''),
      ...bundled('PATCH', '{type}/{made}', fhirPatch('language', '"valueCode":"en"')),
    ],
  },
  {
    id: 'bundled-conditional-change-of-other',
    title: 'A conditional entry of a batch or a transaction changes a resource of another record',
    why: 'Each entry is a request of its own.',
    section: BATCH,
    kind: 'alters',
    isConditional: true,
    asks: [...bundled('PUT', BY_IDENTIFIER, resource(SUBJECT_A)), ...bundled('DELETE', BY_IDENTIFIER, '')],
  },
  {
    id: 'override-change-of-other',
    title: 'A method in a header changes a resource of another record',
    why: 'The gateway decides by the method of the request, and the server by that of the header.',
    section: 'FHIR R4 §3.1.0.1.7',
    kind: 'alters',
    asks: [
      { method: 'POST', target: '{type}/{made}', headers: override('DELETE'), body: '' },
      { method: 'GET', target: '{type}/{made}', headers: override('DELETE') },
      { method: 'POST', target: '{type}/{made}', headers: override('PUT'), body: stored('{made}', SUBJECT_A) },
      {
        method: 'POST',
        target: '{type}/{made}',
        headers: { ...override('PATCH'), ...JSON_PATCH },
        body: '[{"op":"add","path":"/language","value":"en"}]',
      },
      { method: 'POST', target: '{type}/{made}?_method=DELETE', body: '' },
    ],
  },
  {
    id: 'operation-change-of-other',
    title: 'An operation changes a resource of another record',
    why: 'Operations that change labels open what labels close.',
    section: 'FHIR R4, OperationDefinition Resource-meta-add',
    kind: 'alters',
    asks: [
      {
        method: 'POST',
        target: '{type}/{made}/$meta-add',
        body: '{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":{"tag":[{"system":"urn:gatehouse-enforcement-kit","code":"seen"}]}}]}',
      },
    ],
  },
  {
    id: 'create-for-other',
    title: "A resource is created in another patient's record",
    why: 'What is written into a record is read by its doctors.',
    section: WRITE,
    kind: 'makes',
    asks: [
      { method: 'POST', target: '{type}', body: resource(SUBJECT_B) },
      { method: 'POST', target: '{type}', body: resource('"subject":{"reference":"{base}/Patient/{B}"}') },
      { method: 'POST', target: '{type}', body: resource('"subject":{"reference":"Patient/{B}/_history/1"}') },
      { method: 'POST', target: '{type}', body: resource('"subject":{"reference":"Patient/{B}","type":"Patient"}') },
      { method: 'POST', target: '{type}', body: resource('"subject":{"reference":"Patient/{A}/../{B}"}') },
      { method: 'POST', target: '{type}?patient=Patient/{A}', body: resource(SUBJECT_B) },
      { method: 'POST', target: 'Patient/{A}/{type}', body: resource(SUBJECT_B) },
      {
        method: 'POST',
        target: '{type}',
        headers: { 'If-None-Exist': '_id=kit-does-not-exist' },
        body: resource(SUBJECT_B),
      },
      { method: 'PUT', target: '{type}/{word}', body: stored('{word}', SUBJECT_B) },
      { method: 'PUT', target: '{type}?identifier=kit-{word}', body: resource(SUBJECT_B) },
      ...bundled('POST', '{type}', resource(SUBJECT_B)),
      ...bundled('PUT', '{type}/{word}', stored('{word}', SUBJECT_B)),
    ],
  },
  {
    id: 'own-resource-moved-to-other',
    title: "A resource of one's own is moved into another patient's record",
    why: 'The stored resource is of the right patient and the new one is not.',
    section: WRITE,
    kind: 'makes',
    needsOwn: true,
    asks: [
      { method: 'PUT', target: '{type}/{mine}', body: stored('{mine}', SUBJECT_B) },
      {
        method: 'PATCH',
        target: '{type}/{mine}',
        headers: JSON_PATCH,
        body: '[{"op":"replace","path":"/subject","value":{"reference":"Patient/{B}"}}]',
      },
      {
        method: 'PATCH',
        target: '{type}/{mine}',
        headers: JSON_PATCH,
        body: '[{"op":"replace","path":"/subject/reference","value":"Patient/{B}"}]',
      },
      {
        method: 'PATCH',
        target: '{type}/{mine}',
        body: fhirPatch('subject', '"valueReference":{"reference":"Patient/{B}"}'),
      },
      {
        method: 'PATCH',
        target: '{type}/{mine}',
        headers: { 'Content-Type': 'application/merge-patch+json' },
        body: '{"subject":{"reference":"Patient/{B}"}}',
      },
      ...bundled('PUT', '{type}/{mine}', stored('{mine}', SUBJECT_B)),
    ],
  },
  {
    id: 'bound-to-other',
    title: 'A resource of the own record is bound to one of another record',
    why: 'A reference joins two records: the visit, the list or the document of the other patient has it then.',
    section: REFERENCE,
    kind: 'makes',
    asks: [
      {
        method: 'POST',
        target: '{type}',
        body: resource(`${SUBJECT_A},"derivedFrom":[{"reference":"{type}/{made}"}]`),
      },
      { method: 'POST', target: '{type}', body: resource(`${SUBJECT_A},"focus":[{"reference":"Patient/{B}"}]`) },
      { method: 'POST', target: '{type}', body: resource(`${SUBJECT_A},"encounter":{"reference":"{other}"}`) },
      {
        method: 'POST',
        target: '{type}',
        body: resource(
          `${SUBJECT_A},"extension":[{"url":"urn:gatehouse-enforcement-kit","valueReference":{"reference":"{type}/{made}"}}]`,
        ),
      },
      {
        method: 'POST',
        target: '{type}',
        body: resource(`${SUBJECT_A},"derivedFrom":[{"reference":"{base}/{type}/{made}"}]`),
      },
      {
        method: 'POST',
        target: '{type}',
        body: resource(`${SUBJECT_A},"derivedFrom":[{"reference":"{type}/{made}/_history/1"}]`),
      },
      ...bundled('POST', '{type}', resource(`${SUBJECT_A},"derivedFrom":[{"reference":"{type}/{made}"}]`)),
    ],
  },
  {
    id: 'own-resource-bound-to-other',
    title: "A resource of one's own is bound to another record by an update",
    why: 'A reference that comes with an update joins two records like one that was there from the beginning.',
    section: REFERENCE,
    kind: 'makes',
    needsOwn: true,
    asks: [
      {
        method: 'PUT',
        target: '{type}/{mine}',
        body: stored('{mine}', `${SUBJECT_A},"derivedFrom":[{"reference":"{type}/{made}"}]`),
      },
      {
        method: 'PATCH',
        target: '{type}/{mine}',
        headers: JSON_PATCH,
        body: '[{"op":"add","path":"/derivedFrom","value":[{"reference":"{type}/{made}"}]}]',
      },
      {
        method: 'PATCH',
        target: '{type}/{mine}',
        headers: JSON_PATCH,
        body: '[{"op":"add","path":"/focus","value":[{"reference":"Patient/{B}"}]}]',
      },
    ],
  },
  ...[
    ['List', `"status":"current","mode":"working",${SUBJECT_A},"entry":[{"item":{"reference":"{type}/{made}"}}]`],
    ['List', `"status":"current","mode":"working",${SUBJECT_B}`],
    [
      'Provenance',
      '"recorded":"2026-01-01T00:00:00Z","target":[{"reference":"{type}/{made}"}],"agent":[{"who":{"reference":"Patient/{A}"}}]',
    ],
    [
      'DocumentReference',
      `"status":"current",${SUBJECT_A},"content":[{"attachment":{"contentType":"text/plain","url":"{binary}"}}]`,
    ],
    [
      'DocumentReference',
      `"status":"current",${SUBJECT_B},"content":[{"attachment":{"contentType":"text/plain","title":"kit"}}]`,
    ],
    [
      'Group',
      '"type":"person","actual":true,"member":[{"entity":{"reference":"Patient/{A}"}},{"entity":{"reference":"Patient/{B}"}}]',
    ],
    ['RelatedPerson', '"patient":{"reference":"Patient/{B}"}'],
    [
      'Consent',
      '"status":"active","scope":{"text":"kit"},"category":[{"text":"kit"}],"patient":{"reference":"Patient/{B}"}',
    ],
    ['Communication', `"status":"completed",${SUBJECT_A},"about":[{"reference":"{type}/{made}"}]`],
    [
      'Appointment',
      '"status":"proposed","participant":[{"actor":{"reference":"Patient/{A}"},"status":"needs-action"},{"actor":{"reference":"Patient/{B}"},"status":"needs-action"}]',
    ],
    ['Flag', `"status":"active","code":{"text":"kit"},${SUBJECT_B}`],
    ['Binary', '"contentType":"text/plain","data":"a2l0","securityContext":{"reference":"Patient/{B}"}'],
    [
      'Subscription',
      '"status":"requested","reason":"kit","criteria":"{type}?patient=Patient/{B}","channel":{"type":"rest-hook","endpoint":"https://gatehouse-enforcement-kit.invalid/"}',
    ],
    [
      'Subscription',
      '"status":"requested","reason":"kit","criteria":"{type}?","channel":{"type":"rest-hook","endpoint":"https://gatehouse-enforcement-kit.invalid/"}',
    ],
  ].map(([served = '', more], at) => ({
    id: `${served.toLowerCase()}-with-other-${at}`,
    title: `A ${served} that names another record is created`,
    why: 'It collects from another record, shares it, or asks to be told about it.',
    section: served === 'Subscription' ? 'FHIR R4 §9.13 (Subscription)' : REFERENCE,
    kind: /** @type {const} */ ('makes'),
    served,
    asks: [{ method: 'POST', target: served, body: `{"resourceType":"${served}",{tag},${more}}` }],
  })),
  {
    id: 'reference-by-search',
    title: 'A reference by a search finds another patient',
    why: 'In a transaction a reference can be a search, which the server carries out without limits.',
    section: 'FHIR R4 §3.1.0.11.3',
    kind: 'makes',
    asks: [
      {
        method: 'POST',
        target: '',
        body: bundle(
          'transaction',
          entry('POST', '{type}', resource('"subject":{"reference":"Patient?identifier={text}"}')),
        ),
      },
      { method: 'POST', target: '{type}', body: resource('"subject":{"reference":"Patient?identifier={text}"}') },
    ],
  },
  {
    id: 'change-tells',
    title: 'The answer to a change tells whether a resource of another record exists',
    why: 'Conditions and references of changes ask questions like a search.',
    section: 'FHIR R4 §3.1.0.8.1 (If-None-Exist), §2.3',
    kind: 'tells',
    isConditional: true,
    asks: [
      {
        method: 'POST',
        target: '{type}',
        headers: { 'If-None-Exist': 'identifier={value|q}' },
        body: `{"resourceType":"{type}",{plain},${SUBJECT_A}}`,
      },
      { method: 'DELETE', target: '{type}/{made}' },
      {
        method: 'PATCH',
        target: '{type}/{made}',
        headers: JSON_PATCH,
        body: '[{"op":"test","path":"/status","value":"x"}]',
      },
      {
        method: 'POST',
        target: '{type}',
        body: `{"resourceType":"{type}",{plain},${SUBJECT_A},"derivedFrom":[{"reference":"{type}/{made}"}]}`,
      },
      { method: 'POST', target: '', body: bundle('batch', entry('DELETE', '{type}/{made}', '')) },
    ],
  },
];
