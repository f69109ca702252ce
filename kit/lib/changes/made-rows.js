// @ts-check
import {
  bundle,
  bundled,
  entry,
  fhirPatch,
  JSON_PATCH,
  REFERENCE,
  resource,
  SUBJECT_A,
  SUBJECT_B,
  stored,
  WRITE,
} from './bodies.js';

/** @import { ChangeWay } from './rows.js' */

/** Ways to write what names another patient, or a resource of theirs. @type {ChangeWay[]} */
export const MADE = [
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
      { method: 'POST', target: '{type}', body: resource('"subject":{"reference":"Patient/{B}#kit"}') },
      { method: 'POST', target: '{type}', body: resource('"subject":{"reference":"Patient/{B}/"}') },
      {
        method: 'POST',
        target: '{type}',
        body: resource('"subject":{"identifier":{"system":"{system}","value":"{text}"}}'),
      },
      {
        method: 'POST',
        target: '{type}',
        body: resource(
          '"contained":[{"resourceType":"Patient","id":"p","identifier":[{"system":"{system}","value":"{text}"}]}],"subject":{"reference":"#p"}',
        ),
      },
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
      ...['hasMember', 'partOf', 'basedOn'].map((element) => ({
        method: 'POST',
        target: '{type}',
        body: resource(`${SUBJECT_A},"${element}":[{"reference":"{type}/{made}"}]`),
      })),
      { method: 'POST', target: '{type}', body: resource(`${SUBJECT_A},"performer":[{"reference":"Patient/{B}"}]`) },
      {
        method: 'POST',
        target: '{type}',
        body: resource(`${SUBJECT_A},"note":[{"authorReference":{"reference":"Patient/{B}"},"text":"kit"}]`),
      },
      {
        method: 'POST',
        target: '{type}',
        body: resource(
          `${SUBJECT_A},"contained":[{"resourceType":"RelatedPerson","id":"p","patient":{"reference":"Patient/{B}"}}],"performer":[{"reference":"#p"}]`,
        ),
      },
      {
        method: 'POST',
        target: '{type}',
        body: resource(
          `${SUBJECT_A},"extension":[{"url":"urn:gatehouse-enforcement-kit","extension":[{"url":"of","valueReference":{"reference":"{type}/{made}"}}]}]`,
        ),
      },
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
    [
      'AuditEvent',
      '"type":{"code":"rest"},"recorded":"2026-01-01T00:00:00Z","agent":[{"requestor":true,"who":{"reference":"Patient/{A}"}}],"source":{"observer":{"display":"kit"}},"entity":[{"what":{"reference":"{type}/{made}"}}]',
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
];
