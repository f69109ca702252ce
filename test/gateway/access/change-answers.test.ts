import type { ServerResponse } from 'node:http';
import { observationOf, sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';

const server = useScriptedServer({ limits: { answerMegabytes: 1 } });
const laboratory = { category: [{ coding: [{ code: 'laboratory' }] }], meta: { versionId: '1' } };
const own = observationOf('p1', laboratory);
const foreign = observationOf('p2', { note: [{ text: 'secret' }] });
const words = {
  resourceType: 'OperationOutcome',
  issue: [
    {
      severity: 'warning',
      code: 'business-rule',
      diagnostics: 'secret of Observation/2',
      expression: ['Observation.code'],
    },
    { severity: 'information', code: 'informational', details: { text: 'secret' } },
  ],
};

const limited: Record<string, () => string> = {
  'a patient': () => server.gateway.tokenFor('patient/*.cruds', { patient: 'p1' }),
  categories: () => server.gateway.tokenFor('system/Observation.cruds?category=laboratory'),
};

type Change = [what: string, method: string, path: string, body: unknown];
const patch = [{ op: 'add', path: '/status', value: 'final' }];
const entry = (resource: object) => ({ resource, request: { method: 'PUT', url: 'Observation/o1' } });
const bundle = (type: string) => ({ resourceType: 'Bundle', type, entry: [entry(own)] });
const changes: Change[] = [
  ['create', 'POST', '/Observation', { ...own, id: undefined }],
  ['update', 'PUT', '/Observation/o1', own],
  ['patch', 'PATCH', '/Observation/o1', patch],
  ['delete', 'DELETE', '/Observation/o1', undefined],
  ['transaction', 'POST', '', bundle('transaction')],
  ['batch', 'POST', '', bundle('batch')],
];

/** Lets the server carry changes out, with this answer; reads get what is stored. */
function answerChangesWith(answer: (response: ServerResponse) => void): void {
  server.behave = ({ method }, response) =>
    method === 'GET' ? sendFhir(response, own, 200, { ETag: 'W/"1"' }) : answer(response);
}

const location = (status: number) => ({
  ...(status === 201 && { Location: `${server.upstream.url}/Observation/o9/_history/1` }),
});

/** What the app gets: status, the resource or OperationOutcome, and the place of what was made. */
async function change([, method, path, body]: Change, token: string) {
  const isPatch = method === 'PATCH';
  const type = { 'content-type': isPatch ? 'application/json-patch+json' : 'application/fhir+json' };
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body), headers: type }) };
  const response = await server.gateway.fetch(path, token, init);
  const text = await response.text();
  const answer = text === '' ? undefined : JSON.parse(text);
  if (answer?.resourceType !== 'Bundle') {
    return { status: response.status, text, shown: answer, location: response.headers.get('location') };
  }
  const { resource, response: part } = answer.entry[0];
  return { status: Number(part.status), text, shown: resource ?? part.outcome, location: part.location ?? null };
}

describe.each(Object.entries(limited))('the answer to a change of a token limited to %s', (_who, token) => {
  const single = changes.filter(([what]) => what !== 'transaction');
  const withheld = (diagnostics: string) => ({
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'information', code: 'informational', diagnostics }],
  });
  const notShown = withheld('The FHIR server carried the request out. Its answer is not shown with this token.');
  const unreadable = expect.objectContaining({ issue: [expect.objectContaining({ code: 'incomplete' })] });

  test.each<[string, (response: ServerResponse) => void, unknown]>([
    ['a resource that it permits', (response) => sendFhir(response, own), own],
    ['a resource of another record and category', (response) => sendFhir(response, foreign), notShown],
    ['a resource of another type', (response) => sendFhir(response, { ...own, resourceType: 'Condition' }), notShown],
    ['nothing', (response) => response.writeHead(200).end(), undefined],
    ['broken JSON', (response) => sendFhir(response, '{"resourceType":"Observation","secret'), unreadable],
    ['a page', (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>secret</p>'), unreadable],
    [
      'what is too large to be checked',
      (response) => sendFhir(response, { ...own, note: [{ text: 'secret'.repeat(200_000) }] }),
      unreadable,
    ],
    [
      'words of the server',
      (response) => sendFhir(response, words),
      {
        resourceType: 'OperationOutcome',
        issue: [
          {
            severity: 'warning',
            code: 'business-rule',
            diagnostics: 'The FHIR server carried the request out.',
            expression: ['Observation.code'],
          },
          { severity: 'information', code: 'informational' },
        ],
      },
    ],
  ])('is checked like a read: %s', async (_what, answer, shown) => {
    answerChangesWith(answer);
    for (const one of single) {
      const told = await change(one, token());
      expect([one[0], told.status, told.shown]).toEqual([one[0], 200, shown]);
      expect(told.text).not.toContain('secret');
    }
  });

  test('has the place of what was made, also where the rest is not shown', async () => {
    const create = changes[0] as Change;
    for (const body of [own, foreign, words]) {
      answerChangesWith((response) => sendFhir(response, body, 201, location(201)));
      const told = await change(create, token());
      expect([told.status, told.location]).toEqual([201, `${server.gateway.base}/Observation/o9/_history/1`]);
    }
  });

  test('is checked in each entry of a transaction', async () => {
    const transaction = changes.find(([what]) => what === 'transaction') as Change;
    const decimal = '"valueQuantity":{"value":1.50}';
    const answerOf = (...parts: object[]) =>
      JSON.stringify({
        resourceType: 'Bundle',
        type: 'transaction-response',
        link: [{ relation: 'self', url: 'secret' }],
        entry: parts.map((part) => ({ fullUrl: 'secret', ...part })),
      }).replace('"valueQuantity":1', decimal);
    const response = { status: '200 OK', etag: 'W/"2"', location: `${server.upstream.url}/Observation/o1/_history/2` };
    const told = { ...response, location: `${server.gateway.base}/Observation/o1/_history/2` };
    const tellWith = async (...parts: object[]) => {
      answerChangesWith((one) => sendFhir(one, answerOf(...parts)));
      return (await change(transaction, token())).text;
    };
    const permitted = await tellWith({ resource: { ...own, valueQuantity: 1 }, response });
    expect(permitted).toContain(decimal);
    expect(JSON.parse(permitted)).toEqual({
      resourceType: 'Bundle',
      type: 'transaction-response',
      entry: [{ resource: { ...own, valueQuantity: { value: 1.5 } }, response: told }],
    });
    const [withWords, withForeign] = [
      await tellWith({ response: { ...response, outcome: words, secret: 'secret' } }),
      await tellWith({ resource: foreign, response }),
    ];
    expect(JSON.parse(withWords).entry).toMatchObject([
      { response: { ...told, outcome: { issue: [{ code: 'business-rule' }, {}] } } },
    ]);
    expect(JSON.parse(withForeign).entry).toEqual([{ response: told }]);
    // Which of two entries is about what is not known.
    const unequal = await tellWith({ resource: own, response }, { resource: foreign, response });
    expect(JSON.parse(unequal).entry).toEqual([{ response: told }, { response: told }]);
    for (const text of [permitted, withWords, withForeign, unequal]) expect(text).not.toContain('secret');

    answerChangesWith((one) => sendFhir(one, '{"resourceType":"Bundle"'));
    expect(await change(transaction, token())).toMatchObject({ status: 200, shown: unreadable });
  });
});

test('a token for everything gets the words of the server about its change', async () => {
  answerChangesWith((response) => sendFhir(response, words));
  for (const one of changes.filter(([what]) => what !== 'transaction')) {
    expect((await change(one, server.systemToken)).shown).toEqual(words);
  }
});
