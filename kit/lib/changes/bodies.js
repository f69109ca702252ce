// @ts-check

/** @import { AskTemplate } from '../types.js' */

export const WRITE = 'SMART App Launch 2.2, scopes for requesting FHIR resources; FHIR R4 §3.1.0.5 to §3.1.0.8';
export const BATCH = 'FHIR R4 §3.1.0.11';
export const REFERENCE = 'FHIR R4 §2.3, §3.1.0.11.2';
export const SUBJECT_B = '"subject":{"reference":"Patient/{B}"}';
export const SUBJECT_A = '"subject":{"reference":"Patient/{A}"}';
/** `elements` are what the type needs, the tag and an identifier of the kit. */
export const resource = (/** @type {string} */ more) => `{"resourceType":"{type}",{elements},${more}}`;
export const stored = (/** @type {string} */ id, /** @type {string} */ more) => resource(`"id":"${id}",${more}`);
export const bundle = (/** @type {string} */ type, /** @type {string} */ entry) =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entry}]}`;
export const entry = (/** @type {string} */ method, /** @type {string} */ url, /** @type {string} */ body) =>
  `{${body === '' ? '' : `"resource":${body},`}"request":{"method":"${method}","url":"${url}"}}`;
/** @param {string} method @param {string} url @param {string} body @returns {AskTemplate[]} */
export const bundled = (method, url, body) =>
  ['batch', 'transaction'].map((type) => ({
    method: 'POST',
    target: '',
    body: bundle(type, entry(method, url, body)),
  }));

export const JSON_PATCH = { 'Content-Type': 'application/json-patch+json' };
export const MINIMAL = { Prefer: 'return=minimal' };
/** A patch that any resource takes. */
export const ADDED = {
  method: 'PATCH',
  headers: JSON_PATCH,
  body: '[{"op":"add","path":"/language","value":"en"}]',
};
/** The same one as a resource, for an entry of a bundle. */
export const BINARY_PATCH = `{"resourceType":"Binary","contentType":"application/json-patch+json","data":"${Buffer.from(ADDED.body).toString('base64')}"}`;
export const NOTE = '"note":[{"text":"changed"}]';
export const BY_IDENTIFIER = '{type}?identifier={value|q}';
export const fhirPatch = (/** @type {string} */ element, /** @type {string} */ value) =>
  `{"resourceType":"Parameters","parameter":[{"name":"operation","part":[{"name":"type","valueCode":"replace"},{"name":"path","valueString":"{type}.${element}"},{"name":"value",${value}}]}]}`;
export const PATCHES = /** @type {AskTemplate[]} */ ([
  ADDED,
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
export const override = (/** @type {string} */ method) => ({ 'X-HTTP-Method-Override': method });
