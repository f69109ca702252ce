import fc from 'fast-check';
import {
  actionOf,
  classify,
  isBundle,
  isLogicalId,
  isResourceType,
  tryClassify,
} from '../../../src/gateway/domain/fhir-request.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { decisionOf, resultOrRefusal } from '../../support/fhir/refusals.js';
import { runs } from '../../support/runs.js';

const statusOf = (method: string, target: string) => {
  const found = resultOrRefusal(() => classify(method, target));
  return found instanceof Refusal ? found.status : `${found.interaction} ${found.type}`;
};

describe('the interaction of a FHIR request', () => {
  test.each([
    ['GET', '/Patient/1', 'read Patient'],
    ['HEAD', '/Patient/1', 'read Patient'],
    ['GET', '/Patient/a.b-C9', 'read Patient'],
    ['GET', '/Patient/1/_history/2', 'vread Patient'],
    ['GET', '/Patient/1/_history', 'history-instance Patient'],
    ['HEAD', '/Patient/1/_history?_count=5&_since=2020-01-01', 'history-instance Patient'],
    ['GET', '/Patient/_history?_at=ge2020&_format=json', 'history-type Patient'],
    ['GET', '/Observation', 'search Observation'],
    ['GET', '/Observation?code=http://loinc.org|8867-4&_count=10', 'search Observation'],
    ['POST', '/Observation/_search', 'search Observation'],
    ['POST', '/Observation', 'create Observation'],
    ['PUT', '/Observation/1', 'update Observation'],
    ['PATCH', '/Observation/1', 'patch Observation'],
    ['DELETE', '/Observation/1', 'delete Observation'],
    ['PUT', '/Patient?identifier=x', 'update Patient'],
    ['DELETE', '/Patient?identifier=x', 'delete Patient'],
    ['PATCH', '/Patient?identifier=x', 'patch Patient'],
    ['GET', '/$export?_type=Patient&_outputFormat=ndjson', 'operation *'],
    ['POST', '/$convert', 'operation *'],
    ['GET', '/ValueSet/$expand', 'operation ValueSet'],
    ['POST', '/Patient/1/$x', 'operation Patient'],
    ['GET', '/Patient/1/$everything?_since=2020&_count=5', 'operation Patient'],
    ['POST', '/ValueSet/$expand?url=a', 'operation ValueSet'],
    ['GET', '/Observation/$lastn?patient=1&max=2', 'search Observation'],
    ['GET', '/Patient/1?_format=json&_pretty=true', 'read Patient'],
    ['GET', '/Patient/1?_format=application/fhir+json', 'read Patient'],
  ])('%s %s is %s', (method, target, expected) => {
    expect(statusOf(method, target)).toBe(expected);
  });

  test.each([
    ['GraphQL', 'POST', '/$graphql'],
    ['GraphQL on a resource', 'GET', '/Patient/1/$graphql'],
    ['a batch', 'POST', ''],
    ['a batch with a slash', 'POST', '/'],
    ['a search over the whole server', 'GET', '?_type=Patient'],
    ['a search over the whole server by POST', 'POST', '/_search'],
    ["a server's paging address", 'GET', '?_getpages=abc'],
    ['the history of the server', 'GET', '/_history'],
    ['a search in another compartment', 'GET', '/Encounter/1/Observation'],
    ['a search in a record for what is in none', 'GET', '/Patient/1/Practitioner'],
    ['a search in a record for patients', 'GET', '/Patient/1/Patient'],
    ['a condition on a create', 'POST', '/Patient?identifier=x'],
    ['a query on an update', 'PUT', '/Patient/1?_id=2'],
    ['a query on a read', 'GET', '/Patient/1?_include=Patient:link'],
  ])('is refused for %s', (_what, method, target) => {
    expect(statusOf(method, target)).toBe(403);
  });

  test.each([
    ['an escaped slash', '/Patient%2F1'],
    ['an escaped letter', '/%50atient/1'],
    ['a double escape', '/Patient/%2531'],
    ['a dot segment', '/Observation/../Patient/1'],
    ['an id of dots', '/Patient/..'],
    ['an id of one dot', '/Patient/.'],
    ['a backslash', '/Patient\\1'],
    ['a path parameter', '/Patient/1;v=2'],
    ['an empty segment', '//Patient/1'],
    ['an empty segment within', '/Patient//1'],
    ['a slash at the end', '/Patient/1/'],
    ['a type in lower case', '/patient/1'],
    ['an id that is too long', `/Patient/${'1'.repeat(65)}`],
    ['an underscore in an id', '/Patient/a_b'],
    ['something after a version', '/Patient/1/_history/1/x'],
    ['a version of a type', '/Patient/_history/1'],
    ['a history with a condition', '/Patient/1/_history?subject=Patient/2'],
    ['a history of a list', '/Patient/_history?_list=1'],
    ['a history with includes', '/Patient/_history?_include=Patient:link'],
    ['a history cut twice', '/Patient/1/_history?_since=2020&_since=2021'],
    ['a page without its seal', '/_page?_link=x'],
    ['an operation amid an address', '/Patient/$everything/1'],
    ['an operation on an operation', '/$a/$b'],
    ['an operation below a compartment', '/Patient/1/Observation/$lastn'],
    ['an operation without a name', '/Patient/$'],
    ['an operation in capitals', '/Patient/1/$Everything'],
    ['an operation with an escape', '/Patient/1/%24everything'],
    ['a record with searches of its own', '/Patient/1/$everything?_typeFilter=x'],
    ['an export with searches of its own', '/$export?_typeFilter=x'],
    ['a token beside an operation', '/ValueSet/$expand?access_token=x'],
    ['a wildcard', '/Patient/1/*'],
    ['something in a compartment', '/Patient/1/Observation/2'],
    ['a record with everything it leads to', '/Patient/1/Observation?_include=*'],
    ['no path', 'Patient/1'],
    ['an escape in the history of the server', '/_history/%2e'],
    ['a broken parameter of the whole server', '?_type=%00'],
  ])('is unknown for %s', (_what, target) => {
    expect(statusOf('GET', target)).toBe(400);
  });

  test.each([
    ['TRACE', '/Patient/1'],
    ['CONNECT', '/Patient/1'],
    ['get', '/Patient/1'],
    ['PROPFIND', '/Patient'],
    ['POST', '/Patient/1'],
    ['GET', '/Patient/_search'],
    ['DELETE', '/Patient/1/_history/1'],
    ['DELETE', '/Patient/1/_history'],
    ['POST', '/Patient/_history'],
    ['POST', '/Patient/1/Observation'],
    ['DELETE', '/Patient/1/Observation'],
    ['PUT', '/Patient/1/$everything'],
    ['DELETE', '/$export'],
    ['PUT', '/Observation/$lastn'],
  ])('is none for %s %s, which answers 405', (method, target) => {
    expect(statusOf(method, target)).toBe(405);
  });
});

describe('the names in an address', () => {
  test('are resource types of 64 letters at most', () => {
    const types = ['Patient', 'P', `P${'a'.repeat(63)}`, `P${'a'.repeat(64)}`, 'patient', 'Patient1', ' Patient', ''];
    expect(types.filter(isResourceType)).toEqual(types.slice(0, 3));
  });

  test('are ids of 64 letters, digits, hyphens and dots at most, and no steps', () => {
    const ids = ['1', 'a.b-C9', '...', 'a'.repeat(64), 'a'.repeat(65), '.', '..', 'a_b', 'a/b', '1 ', ''];
    expect(ids.filter(isLogicalId)).toEqual(ids.slice(0, 4));
  });
});

test('an interaction needs the action of SMART that permits it', () => {
  expect(actionOf).toEqual({
    read: 'r',
    vread: 'r',
    'history-instance': 'r',
    'history-type': 's',
    search: 's',
    create: 'c',
    update: 'u',
    patch: 'u',
    delete: 'd',
    operation: 's',
  });
});

describe('a search in a patient compartment', () => {
  test.each([
    ['/Patient/p1/Observation?code=a', 'Observation', 'code=a&patient=Patient/p1'],
    ['/Patient/p1/Observation?patient=p2', 'Observation', 'patient=p2&patient=Patient/p1'],
    ['/Patient/p1/AdverseEvent', 'AdverseEvent', 'subject=Patient/p1'],
  ])('is read from the path %s', (target, type, query) => {
    const parameters = query.split('&').map((pair) => pair.split('='));
    expect(classify('GET', target)).toEqual({ interaction: 'search', type, inRecordOf: 'p1', parameters });
  });
});

describe('a search parameter', () => {
  test.each([
    'code=a',
    'code:not=a',
    'date=gt2020-01-01&date=lt2021-01-01',
    'subject:Patient=1',
    'code-value-quantity=a$gt5',
    '_include=Observation:subject&_revinclude=Provenance:target',
    '_has:Provenance:target:agent=x&subject:Patient.name=Smith',
    '_id=1,2&_lastUpdated=gt2020&_sort=-date,_id&_count=5&_offset=10',
    'name=J%C3%BCrgen+M',
  ])('%s is accepted', (query) => {
    expect(statusOf('GET', `/Observation?${query}`)).toBe('search Observation');
  });

  test.each([
    '_include=*',
    '_include:recurse=Observation:subject',
    '_include:not=Observation:subject',
    '_revinclude=*',
    '_include:iterate=*',
    '_cursor=abc',
    '_pageToken=abc',
    '_filter=name%20eq%20x',
    '_query=all',
    '_list=1',
    '_type=Patient',
    '_contained=true',
    '_containedType=contained',
    '_content=x',
    '_text=x',
    '_method=DELETE',
    '_id:not=1',
    '%5Finclude=*',
    '_INCLUDE=Observation:subject',
    'code:in=http://evil.example/ValueSet',
    'access_token=abc',
    '_unheardOf=1',
    '_sort=patient.name',
    '_sort=-date,subject:Patient.name',
    '_sort=Patient:name',
    '=x',
    'a%20b=1',
  ])('%s is refused', (query) => {
    expect(statusOf('GET', `/Observation?${query}`)).toBe(400);
  });

  test.each(['_format=xml', '_format=application/fhir%2Bxml', '_format=html', '_format='])(
    '%s is not acceptable',
    (query) => {
      expect(statusOf('GET', `/Observation?${query}`)).toBe(406);
    },
  );

  test.each(['_count=1&_count=2', '_format=json&_format=xml', '_sort=a&_sort=b', '_summary=true&_summary=false'])(
    '%s is ambiguous',
    (query) => {
      expect(statusOf('GET', `/Observation?${query}`)).toBe(400);
    },
  );

  test.each(['code=%00', 'code=a%0Ab', 'code=%FF', 'code=%C3'])('%s is malformed', (query) => {
    expect(statusOf('GET', `/Observation?${query}`)).toBe(400);
  });

  test('is refused when there are more than a search needs', () => {
    expect(statusOf('GET', `/Observation?${'code=a&'.repeat(101)}`)).toBe(400);
  });
});

describe('the refusal of an address', () => {
  const unsupported = (what: string) => `403 not-supported: ${what} are not supported.`;
  const unknown = '400 invalid: This is not an address of the FHIR API.';

  test.each([
    ['POST', '', unsupported('Batches and transactions')],
    ['POST', '/?_format=json', unsupported('Batches and transactions')],
    ['GET', '/', unsupported('Requests to the whole server')],
    ['POST', '/_search', unsupported('Requests to the whole server')],
    ['GET', '/_history/1', unsupported('Requests to the whole server')],
    ['GET', '/_history/$x', unknown],
    ['GET', '/Patient/1/$graphql', unsupported('GraphQL requests')],
    ['GET', '/Encounter/1/Observation', unsupported('Searches in this compartment')],
    ['GET', '/Patient/1;x', unknown],
    ['GET', '/Patient?code=%00', '400 invalid: A parameter contains a control character or a broken escape.'],
    ['GET', '/Patient?_x=?a', "400 not-supported: The search parameter '_x' is not supported."],
    ['PUT', '/Patient', '400 invalid: A change without an id needs a condition, such as ?identifier=….'],
    ['POST', '/Patient?a=1', '403 not-supported: Conditional interactions are not supported.'],
    ['GET', '/Patient/1?_elements=id', 'permitted'],
    ['PUT', '/Patient/1?_elements=id', '403 not-supported: Conditional interactions are not supported.'],
  ])('for %s %s is: %s', (method, target, expected) => {
    expect(decisionOf(() => classify(method, target))).toBe(expected);
    expect(tryClassify(method, target) !== undefined).toBe(expected === 'permitted');
  });

  test.each([
    ['TRACE', '/Patient', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'],
    ['POST', '/Patient/1', 'GET, HEAD, PUT, PATCH, DELETE'],
    ['GET', '/Patient/_search', 'POST'],
    ['PUT', '/Patient/_history', 'GET, HEAD'],
    ['PUT', '/Patient/1/$x', 'GET, HEAD, POST'],
    ['PUT', '/Observation/$lastn', 'GET, HEAD, POST'],
    ['POST', '/Patient/1/Observation', 'GET, HEAD'],
  ])('for the wrong method %s at %s names the methods of the address: %s', (method, target, allow) => {
    const refusal = resultOrRefusal(() => classify(method, target));
    expect(refusal).toMatchObject({ status: 405, code: 'not-supported', headers: { Allow: allow } });
    expect(String(refusal)).toContain(method === 'TRACE' ? 'is not supported.' : 'is not supported here.');
  });
});

test('a Bundle is a POST to the base itself', () => {
  expect(isBundle('POST', '')).toBe(true);
  expect(isBundle('POST', '/')).toBe(true);
  expect(isBundle('GET', '')).toBe(false);
  expect(isBundle('POST', '/Patient')).toBe(false);
  expect(isBundle('POST', '?_format=json')).toBe(false);
});

describe('any generated FHIR request', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '..',
      '.',
      '%2f',
      '%',
      '?',
      '&',
      '=',
      '#',
      '$',
      '_history',
      '_search',
      'Patient',
      '1',
      ';',
      '\\',
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  );
  const target = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const method = fc.oneof(
    fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
    fc.string({ maxLength: 8 }),
  );

  test('is one interaction on one type in one spelling, or refused', () => {
    fc.assert(
      fc.property(method, target, (anyMethod, anyTarget) => {
        const found = resultOrRefusal(() => classify(anyMethod, anyTarget));
        if (found instanceof Refusal) {
          expect(found.status).toBeGreaterThanOrEqual(400);
          expect(found.status).toBeLessThan(500);
          return;
        }
        const { interaction, type, id, versionId, parameters } = found;
        const record = /^\/Patient\/([A-Za-z0-9.-]+)\/[A-Z][A-Za-z]*(?:\?|$)/.exec(anyTarget)?.[1];
        if (record !== undefined) {
          expect(parameters.at(-1)?.[1]).toBe(`Patient/${record}`);
          expect(interaction).toBe('search');
          return;
        }
        const path = [
          type,
          id ?? (interaction === 'search' && anyMethod === 'POST' ? '_search' : undefined),
          interaction.startsWith('history') ? '_history' : versionId && `_history/${versionId}`,
        ];
        expect(`/${path.filter((part) => part !== undefined).join('/')}`).toBe(anyTarget.split('?', 1)[0]);
        expect(type).toMatch(/^[A-Z][A-Za-z]*$/);
      }),
      runs(2_000, 100_000),
    );
  });
});
