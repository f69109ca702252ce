// @ts-check
import { loadConfig } from './config.js';
import { byId, element } from './dom.js';
import { SCOPES } from './scopes.js';

byId('scopes').append(...SCOPES.map(({ value, title }) => element('li', {}, title, element('code', {}, value))));

const { fhirBase } = await loadConfig();
byId('fhir-base').textContent = fhirBase;
