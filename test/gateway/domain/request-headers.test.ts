import type { Interaction } from '../../../src/contract/audit/access-detail.js';
import {
  assertAccepts,
  assertHeaders,
  makesOnly,
  mediaType,
  preconditions,
  preference,
  type RequestHeaders,
} from '../../../src/gateway/domain/request-headers.js';
import { decisionOf } from '../../support/fhir/refusals.js';

const usualMethod: Readonly<Record<Interaction, string>> = {
  read: 'GET',
  vread: 'GET',
  'history-instance': 'GET',
  'history-type': 'GET',
  search: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  operation: 'GET',
};
const interactions = Object.keys(usualMethod) as Interaction[];
const typed = (type: string): RequestHeaders => ({ 'content-type': type, 'content-length': '2' });
/** The headers of an ordinary request. */
const usual = (interaction: Interaction): RequestHeaders => {
  if (interaction === 'patch') return typed('application/json-patch+json');
  return interaction === 'create' || interaction === 'update' ? typed('application/fhir+json') : {};
};
const decided = (interaction: Interaction, headers: RequestHeaders, method = usualMethod[interaction]) =>
  decisionOf(() => {
    assertHeaders(interaction, method, headers);
    assertAccepts(headers, interaction);
  });
const onlyJson = '406 not-supported: Only JSON is supported.';
const withoutBody = '400 invalid: This request must not have a body.';
const notSupported = (type: string) => `415 not-supported: A body of the type '${type}' is not supported here.`;

describe('the headers of a FHIR request', () => {
  test.each(interactions)('may be the usual ones of %s', (interaction) => {
    expect(decided(interaction, usual(interaction))).toBe('permitted');
  });

  test.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    'do not name another method: %s',
    (name) => {
      expect(decided('read', { [name]: '' })).toBe(
        '400 not-supported: Another method cannot be asked for in a header.',
      );
    },
  );

  test('do not ask for WebSockets', () => {
    expect(decided('read', { upgrade: 'h2c, WebSocket' })).toBe('400 not-supported: WebSockets are not supported.');
    expect(decided('read', { upgrade: 'h2c' })).toBe('permitted');
  });

  test.each(interactions)('have If-None-Exist for creates only: %s', (interaction) => {
    const expected = interaction === 'create' ? 'permitted' : '400 invalid: If-None-Exist is for creating a resource.';
    expect(decided(interaction, { ...usual(interaction), 'if-none-exist': '' })).toBe(expected);
  });

  test.each(interactions)('bind a change by If-Match only: %s', (interaction) => {
    const changes = ['create', 'update', 'patch', 'delete'].includes(interaction);
    const refused =
      '400 not-supported: A change can be bound to a version by If-Match only, and an update to a free id by If-None-Match: *.';
    for (const [name, value] of [
      ['if-none-match', 'W/"1"'],
      ['if-none-match', '*, W/"1"'],
      ['if-none-match', ''],
      ['if-unmodified-since', '*'],
    ] as const) {
      expect(decided(interaction, { ...usual(interaction), [name]: value })).toBe(changes ? refused : 'permitted');
    }
    const onlyNew = { ...usual(interaction), 'if-none-match': ' * ' };
    expect(decided(interaction, onlyNew)).toBe(changes && interaction !== 'update' ? refused : 'permitted');
    expect(makesOnly(interaction, onlyNew)).toBe(interaction === 'update');
    expect(decided(interaction, { ...usual(interaction), 'if-match': 'W/"1"' })).toBe('permitted');
  });

  test.each([
    ['', 'permitted'],
    [' ', 'permitted'],
    ['*/*', 'permitted'],
    ['application/*', 'permitted'],
    ['application/json', 'permitted'],
    ['APPLICATION/FHIR+JSON; fhirVersion=4.0', 'permitted'],
    ['text/html, application/json;q=0.5', 'permitted'],
    ['application/json;q=0.05', 'permitted'],
    ['application/json;q=0', onlyJson],
    ['application/json;xq=0', 'permitted'],
    ['application/json;q=0.00', onlyJson],
    ['application/json;fhirVersion=4.0; Q=0', onlyJson],
    ['text/html', onlyJson],
    ['application/fhir+xml', onlyJson],
    ['application/fhir+ndjson', onlyJson],
    ['application/ndjson', onlyJson],
  ])('accept "%s": %s', (accept, expected) => {
    expect(decided('read', { accept })).toBe(expected);
  });

  test.each(['application/fhir+ndjson', 'application/ndjson'])('accept %s for an export', (accept) => {
    expect(decided('operation', { accept })).toBe('permitted');
  });
});

describe('the body of a FHIR request', () => {
  test.each<[Interaction, string, string]>([
    ['create', 'application/json', 'permitted'],
    ['update', 'Application/FHIR+JSON ; charset=utf-8', 'permitted'],
    ['create', 'application/fhir+xml', notSupported('application/fhir+xml')],
    ['update', 'application/json-patch+json', notSupported('application/json-patch+json')],
    ['create', 'application/jsonx', notSupported('application/jsonx')],
    ['create', 'xapplication/json', notSupported('xapplication/json')],
    ['create', 'x'.repeat(100), notSupported('x'.repeat(80))],
    ['patch', 'application/json-patch+json', 'permitted'],
    ['patch', 'application/fhir+json', 'permitted'],
    ['patch', 'application/json', notSupported('application/json')],
    ['patch', 'application/fhir+jsonx', notSupported('application/fhir+jsonx')],
    ['patch', 'xapplication/fhir+json', notSupported('xapplication/fhir+json')],
    ['read', 'application/json', withoutBody],
    ['delete', 'application/json', withoutBody],
    ['search', 'application/x-www-form-urlencoded', withoutBody],
    ['operation', 'application/fhir+json', withoutBody],
  ])('of %s may be %s: %s', (interaction, type, expected) => {
    expect(decided(interaction, typed(type))).toBe(expected);
  });

  test('needs a type for a write', () => {
    expect(decided('create', {})).toBe(notSupported(''));
  });

  test.each<[Interaction, string, string]>([
    ['search', 'application/x-www-form-urlencoded; charset=utf-8', 'permitted'],
    ['search', 'application/json', '415 not-supported: A search is sent as application/x-www-form-urlencoded.'],
    ['operation', 'application/fhir+json', 'permitted'],
    ['operation', 'application/xml', notSupported('application/xml')],
    ['operation', 'x'.repeat(100), notSupported('x'.repeat(80))],
  ])('of %s by POST may be %s: %s', (interaction, type, expected) => {
    expect(decided(interaction, typed(type), 'POST')).toBe(expected);
    expect(decided(interaction, { 'content-type': type }, 'POST')).toBe('permitted');
  });

  test('exists when its length or its encoding is given', () => {
    expect(decided('read', { 'content-length': '0' })).toBe('permitted');
    expect(decided('read', { 'content-length': '1' })).toBe(withoutBody);
    expect(decided('read', { 'transfer-encoding': 'chunked' })).toBe(withoutBody);
  });

  test('is not compressed', () => {
    const headers = typed('application/json');
    const compressed = '415 not-supported: Compressed bodies are not supported.';
    expect(decided('create', { ...headers, 'content-encoding': 'gzip' })).toBe(compressed);
    expect(decided('create', { ...headers, 'content-encoding': 'identity' })).toBe('permitted');
    expect(decided('read', { 'content-encoding': 'gzip' })).toBe('permitted');
  });

  test.each([
    [undefined, ''],
    ['', ''],
    ['Text/HTML ; charset=x; y', 'text/html'],
  ])('with the type %s is %s', (type, expected) => {
    expect(mediaType({ 'content-type': type })).toBe(expected);
  });
});

describe('the headers that the gateway forwards', () => {
  const all = { 'if-match': 'a', 'if-none-match': 'b', 'if-modified-since': 'c', 'if-unmodified-since': 'd' };

  test.each(interactions)('are the preconditions of %s', (interaction) => {
    const ofRead = { 'if-none-match': 'b', 'if-modified-since': 'c' };
    const without = ['history-instance', 'history-type', 'operation'].includes(interaction);
    const ofUpdate = interaction === 'update' ? { 'if-none-match': 'b' } : {};
    const expected = interaction === 'read' || interaction === 'vread' ? ofRead : { 'if-match': 'a', ...ofUpdate };
    expect(preconditions(interaction, all)).toEqual(without ? {} : expected);
    expect(Object.keys(preconditions(interaction, {}))).toEqual([]);
  });

  test.each<[Interaction, string | undefined, string | undefined]>([
    ['search', undefined, undefined],
    ['search', 'handling=strict', 'handling=strict'],
    ['search', 'respond-async; handling=lenient', 'handling=lenient'],
    ['search', 'handling=strict, handling=lenient', 'handling=strict'],
    ['search', 'return=minimal', undefined],
    ['search', 'handling=strictly', undefined],
    ['search', 'xhandling=strict', undefined],
    ['create', 'return=minimal', 'return=minimal'],
    ['update', 'respond-async, return=representation', 'return=representation'],
    ['patch', 'return=OperationOutcome', 'return=OperationOutcome'],
    ['patch', 'return=OperationOutcomes', undefined],
    ['patch', 'xreturn=minimal', undefined],
    ['create', 'handling=strict', undefined],
    ['create', 'respond-async', undefined],
  ])('are the preference of %s: %s becomes %s', (interaction, prefer, expected) => {
    const passed = preference(interaction, { prefer });
    expect(Object.entries(passed)).toEqual(expected === undefined ? [] : [['prefer', expected]]);
  });
});
