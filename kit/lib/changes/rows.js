// @ts-check
import {
  ADDED,
  BATCH,
  BINARY_PATCH,
  BY_IDENTIFIER,
  bundle,
  bundled,
  entry,
  fhirPatch,
  JSON_PATCH,
  MINIMAL,
  NOTE,
  override,
  PATCHES,
  resource,
  SUBJECT_A,
  SUBJECT_B,
  stored,
  WRITE,
} from './bodies.js';
import { MADE } from './made-rows.js';

/** @import { AskTemplate } from '../types.js' */

/**
 * A way to change or bind data of another patient. `alters` acts on a resource that the kit has just made with the
 * token of the other patient; `makes` writes what names that patient or such a resource; `tells` compares with the
 * same request about something that does not exist.
 *
 * @typedef {{
 *   id: string, title: string, why: string, section: string, kind: 'alters' | 'makes' | 'tells',
 *   asks: readonly AskTemplate[], isConditional?: boolean, needsOwn?: boolean, isDeleted?: boolean, served?: string
 * }} ChangeWay `isDeleted` lets the other patient delete what was made before it is asked for
 */

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
      { method: 'PUT', target: '{type}/{made}', headers: MINIMAL, body: stored('{made}', SUBJECT_A) },
    ],
  },
  {
    id: 'update-by-id-of-body',
    title: "An update of one's own resource is stored at the id that its body has",
    why: 'The address is checked, and the body decides.',
    section: 'FHIR R4 §3.1.0.5',
    kind: 'alters',
    needsOwn: true,
    asks: [
      { method: 'PUT', target: '{type}/{mine}', body: stored('{made}', SUBJECT_A) },
      { method: 'PUT', target: '{type}/{mine}', body: stored('{made}', SUBJECT_B) },
      ...bundled('PUT', '{type}/{mine}', stored('{made}', SUBJECT_A)),
    ],
  },
  {
    id: 'patch-of-other',
    title: 'A resource of another record is patched',
    why: 'A patch names no patient; the stored resource has to be looked at.',
    section: 'FHIR R4 §3.1.0.6',
    kind: 'alters',
    asks: [
      ...PATCHES.map((ask) => ({ ...ask, target: '{type}/{made}' })),
      { ...ADDED, target: '{type}/{made}', headers: { ...JSON_PATCH, 'If-Match': 'W/"1"' } },
      { ...ADDED, target: '{type}/{made}', headers: { ...JSON_PATCH, ...MINIMAL } },
      { ...ADDED, target: '{type}/{made}', headers: { 'Content-Type': 'application/json' } },
    ],
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
      { method: 'DELETE', target: '{type}/{made}?_cascade=delete' },
      { method: 'DELETE', target: '{type}/{made}?_expunge=true' },
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
      { ...ADDED, target: '{type}?_id={made}' },
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
      ...bundled('PATCH', '{type}/{made}', BINARY_PATCH),
    ],
  },
  {
    id: 'bundled-conditional-change-of-other',
    title: 'A conditional entry of a batch or a transaction changes a resource of another record',
    why: 'Each entry is a request of its own.',
    section: BATCH,
    kind: 'alters',
    isConditional: true,
    asks: [
      ...bundled('PUT', BY_IDENTIFIER, resource(SUBJECT_A)),
      ...bundled('DELETE', BY_IDENTIFIER, ''),
      ...bundled('PATCH', BY_IDENTIFIER, BINARY_PATCH),
    ],
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
  ...MADE,
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
      { method: 'DELETE', target: BY_IDENTIFIER },
      { method: 'PUT', target: '{type}/{made}', body: `{"resourceType":"{type}","id":"{made}",{plain},${SUBJECT_A}}` },
      {
        method: 'PUT',
        target: '{type}/{made}',
        headers: { 'If-Match': 'W/"99"' },
        body: `{"resourceType":"{type}","id":"{made}",{plain},${SUBJECT_A}}`,
      },
      { method: 'POST', target: '{type}', body: `{"resourceType":"{type}","id":"{made}",{plain},${SUBJECT_A}}` },
      {
        method: 'POST',
        target: '{type}',
        body: `{"resourceType":"{type}",{plain},"identifier":[{"system":"urn:gatehouse-enforcement-kit","value":"{number}"}],${SUBJECT_A}}`,
      },
      {
        method: 'PATCH',
        target: '{type}/{made}',
        headers: JSON_PATCH,
        body: '[{"op":"test","path":"/status","value":"x"}]',
      },
      { ...ADDED, target: '{type}/{made}', headers: { 'Content-Type': 'text/plain' } },
      { ...ADDED, target: BY_IDENTIFIER },
      { method: 'PUT', target: '{type}/{made}', body: '{' },
      { method: 'PUT', target: '{type}/{made}', body: '{"resourceType":"{type}"}' },
      { method: 'PUT', target: BY_IDENTIFIER, body: `{"resourceType":"{type}",{plain},${SUBJECT_A}}` },
      { method: 'DELETE', target: '{type}/{made}', headers: { 'If-Match': 'W/"99"' } },
      {
        method: 'POST',
        target: '{type}/{made}/$meta-add',
        body: '{"resourceType":"Parameters","parameter":[{"name":"meta","valueMeta":{"tag":[{"code":"seen"}]}}]}',
      },
      ...bundled('PATCH', '{type}/{made}', fhirPatch('language', '"valueCode":"en"')),
      // With a version, an update does not create.
      ...['batch', 'transaction'].map((type) => ({
        method: 'POST',
        target: '',
        body: bundle(
          type,
          `{"resource":{"resourceType":"{type}","id":"{made}",{plain},${SUBJECT_A}},"request":{"method":"PUT","url":"{type}/{made}","ifMatch":"W/\\"99\\""}}`,
        ),
      })),
      ...['batch', 'transaction'].map((type) => ({
        method: 'POST',
        target: '',
        body: bundle(
          type,
          `{"resource":{"resourceType":"{type}",{plain},${SUBJECT_A}},"request":{"method":"POST","url":"{type}","ifNoneExist":"identifier={value|q}"}}`,
        ),
      })),
      {
        method: 'POST',
        target: '{type}',
        body: `{"resourceType":"{type}",{plain},${SUBJECT_A},"derivedFrom":[{"reference":"{type}/{made}"}]}`,
      },
      { method: 'POST', target: '', body: bundle('batch', entry('DELETE', '{type}/{made}', '')) },
    ],
  },
  {
    id: 'deleted-of-other',
    title: 'What another patient has deleted is shown, or told of',
    why: 'A deleted resource has versions, and an answer of its own (410).',
    section: 'FHIR R4 §3.1.0.7, §3.1.0.3',
    kind: 'tells',
    isDeleted: true,
    asks: [
      { target: '{type}/{made}' },
      { target: '{type}/{made}/_history/1' },
      { target: '{type}/{made}/_history/2' },
      { target: '{type}/{made}/_history' },
      { target: '{type}?_id={made}' },
    ],
  },
];
