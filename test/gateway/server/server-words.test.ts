import type { ServerResponse } from 'node:http';
import { observationOf, sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

const server = useScriptedServer();

const words = {
  resourceType: 'OperationOutcome',
  text: { status: 'generated', div: '<div>index of Observation/of-another</div>' },
  issue: [
    {
      severity: 'error',
      code: 'duplicate',
      details: { text: 'existing index belongs to Observation/of-another' },
      diagnostics: 'see Patient/other',
      expression: ['Observation.identifier[0]', "Observation.where(id='of-another')", 'Patient.name', 'secret'],
    },
    { severity: 'boom of-another', code: 'of-another', location: ['Observation.subject'] },
  ],
};

type Row = [who: string, scope: string, facts: object, hears: boolean];
const rows: Row[] = [
  ['a patient', 'patient/*.cruds', { patient: 'p1' }, false],
  ['a patient, as the user', 'openid fhirUser user/*.cruds', { fhirUser: 'Patient/p1' }, false],
  ['a patient and categories', 'patient/*.cruds?category=laboratory', { patient: 'p1' }, false],
  ['categories', 'system/*.cruds?category=laboratory', {}, false],
  [
    'a practitioner with a patient in context',
    'patient/*.cruds',
    { patient: 'p1', fhirUser: 'Practitioner/d1' },
    false,
  ],
  ['a practitioner', 'user/*.cruds', { fhirUser: 'Practitioner/d1' }, true],
  ['a practitioner with both', 'patient/*.rs user/*.cruds', { patient: 'p1', fhirUser: 'Practitioner/d1' }, true],
  ['a service', 'system/*.cruds', {}, true],
];

const laboratory = { category: [{ coding: [{ code: 'laboratory' }] }], meta: { versionId: '1' } };
const stored = observationOf('p1', laboratory);
const fresh = { ...stored, id: undefined };
const entry = (method: string, url: string, resource?: object) => ({ resource, request: { method, url } });
const bundle = (type: string, ...entries: object[]) => ({ resourceType: 'Bundle', type, entry: entries });

type Request = [what: string, method: string, path: string, body: unknown, type?: string];
const writes: Request[] = [
  ['create', 'POST', '/Observation', fresh],
  ['update', 'PUT', '/Observation/o1', stored],
  ['delete', 'DELETE', '/Observation/o1', undefined],
  [
    'patch',
    'PATCH',
    '/Observation/o1',
    [{ op: 'add', path: '/status', value: 'final' }],
    'application/json-patch+json',
  ],
  ['transaction', 'POST', '', bundle('transaction', entry('POST', 'Observation', fresh))],
  ['batch', 'POST', '', bundle('batch', entry('PUT', 'Observation/o1', stored))],
];
const reads: Request[] = [
  ['search', 'GET', '/Observation?code=x', undefined],
  ['search of a type that all records share', 'GET', '/Practitioner?name=x', undefined],
  ['read of such a type', 'GET', '/Practitioner/d2', undefined],
  ['$everything', 'GET', '/Patient/p1/$everything', undefined],
];

/** The elements of what was sent that the server names; null for none. */
const elements: Record<string, string[] | null> = {
  transaction: null,
  'search of a type that all records share': null,
  'read of such a type': null,
  $everything: ['Patient.name'],
};

/** Gives what a change needs to be checked, and refuses everything else. */
function refuse(url: string, method: string, response: ServerResponse): void {
  if (method === 'GET' && url === '/r4/Observation/o1') sendFhir(response, stored, 200, { ETag: 'W/"1"' });
  else sendFhir(response, words, 422, { ETag: 'W/"9"', Location: `${server.upstream.url}/Observation/of-another` });
}

beforeEach(() => {
  server.behave = ({ url = '', method = '' }, response) => refuse(url, method, response);
  server.gateway.audit.taken();
});

async function ask(token: string, [, method, path, body, type = 'application/fhir+json']: Request) {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': type } }) };
  const response = await server.gateway.fetch(path, token, init);
  const text = await response.text();
  const { entry: entries } = JSON.parse(text) as { entry?: { response: { outcome: object; status: string } }[] };
  const told = entries?.[0]?.response;
  return {
    status: told ? Number(told.status) : response.status,
    outcome: told ? told.outcome : JSON.parse(text),
    text: text + JSON.stringify([...response.headers]),
    reference: response.headers.get('x-launch-reference'),
  };
}

describe.each(rows)('the words of a server that refuses a request of %s', (who, scope, facts, hears) => {
  const tokenOf = () => {
    const { fhirUser } = facts as { fhirUser?: string };
    const user = fhirUser === undefined ? {} : { fhirUser: `${server.gateway.base}/${fhirUser}` };
    return server.gateway.tokenFor(scope, { ...facts, ...user });
  };

  test.each([...writes, ...reads])(
    `${hears ? 'are passed on' : 'are kept for the administrator'}: %s`,
    async (...request) => {
      const { status, outcome, text, reference } = await ask(tokenOf(), request);
      if (/categories/.test(who) && /^read of|everything/.test(request[0])) {
        // Each resource is checked by its categories, so a refusal counts as none.
        return expect([status, text]).toEqual([404, expect.not.stringMatching(/other|secret|boom/)]);
      }
      expect(status).toBe(422);
      const recorded = server.gateway.audit
        .taken()
        .map(({ serverWords }) => serverWords)
        .filter(Boolean);
      if (hears) {
        expect(outcome).toEqual(words);
        expect(recorded).toEqual([]);
        return;
      }
      expect(text).not.toMatch(/of-another|other|secret|boom/);
      const [first, second] = (outcome as { issue: object[] }).issue;
      expect(first).toEqual({
        severity: 'error',
        code: 'duplicate',
        diagnostics: `The FHIR server refused the request. An administrator finds the reason in the record of ${reference}.`,
        ...(elements[request[0]] !== null && { expression: elements[request[0]] ?? ['Observation.identifier[0]'] }),
      });
      expect(second).toMatchObject({ severity: 'error', code: 'invalid' });
      expect(recorded.map((one) => JSON.parse(String(one)))).toEqual([words]);
    },
  );
});
