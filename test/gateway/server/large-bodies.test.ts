/** The largest bodies that the gateway accepts are read in turns: other requests are answered between. */

import { sendFhir, useScriptedServer } from '../../support/fhir/scripted-server.js';
import { longestTurn } from '../../support/longest-turn.js';
import { inTurn } from '../../support/runs.js';

// A busy machine takes more than half a second to pass nineteen megabytes on.
const server = useScriptedServer({}, 60_000);
const megabyte = 1024 * 1024;

const observation = (more: string) =>
  `{"resourceType":"Observation","id":"o1","status":"final","subject":{"reference":"Patient/p1"}${more}}`;
const entry = `{"resource":${observation('').replace('"id":"o1",', '')},"request":{"method":"POST","url":"Observation"}}`;
const bundle = (type: string, entries: string) => `{"resourceType":"Bundle","type":"${type}","entry":[${entries}]}`;
const filled = (piece: string, size: number) =>
  Array(Math.floor(size / (piece.length + 1)))
    .fill(piece)
    .join();

/** What fills a resource. */
const fillings: Record<string, (size: number) => string> = {
  'empty objects': (size) => `,"component":[${filled('{}', size)}]`,
  'lists in lists': (size) => `,"component":[${filled('['.repeat(90) + ']'.repeat(90), size)}]`,
  references: (size) => `,"performer":[${filled('{"reference":"Practitioner/d1"}', size)}]`,
  'one name, again and again': (size) => `,${filled('"a":0', size)}`,
  numbers: (size) => `,"component":[${filled('{"valueQuantity":{"value":1.50}}', size)}]`,
  'as many parts as are read': () => `,"component":[${filled('{"a":1}', 239_000 * 8)}]`,
  'one text': (size) => `,"note":[{"text":"${'x'.repeat(size)}"}]`,
  escapes: (size) => `,"note":[{"text":"${'\\u0041'.repeat(size / 6)}"}]`,
};
const requests: Record<string, (filling: string) => [method: string, path: string, body: string]> = {
  'an update': (filling) => ['PUT', '/Observation/o1', observation(filling)],
  'a create': (filling) => ['POST', '/Observation', observation(filling)],
  'a patch': (filling) => ['PATCH', '/Observation/o1', `[{"op":"add","path":"/note","value":{"a":1${filling}}}]`],
  'an operation': (filling) => ['POST', '/Observation/$lastn', `{"resourceType":"Parameters"${filling}}`],
  'a transaction': (filling) => [
    'POST',
    '/',
    bundle('transaction', entry.replace('"status":"final"', `"status":"final"${filling}`)),
  ],
  'a batch': (filling) => [
    'POST',
    '/',
    bundle('batch', entry.replace('"status":"final"', `"status":"final"${filling}`)),
  ],
};

const tokens: Record<string, () => string> = {
  everything: () => server.systemToken,
  'one patient': () => server.gateway.tokenFor('patient/*.cruds', { patient: 'p1' }),
};

const send = async (path: string, token: string, init: RequestInit) => {
  server.behave = (request, response) =>
    request.method === 'GET'
      ? sendFhir(response, JSON.parse(observation('')), 200, { ETag: 'W/"1"' })
      : sendFhir(response, JSON.parse(observation('')), 200);
  const response = await server.gateway.fetch(path, token, init);
  await response.arrayBuffer();
  return response.status;
};

const numbers = observation(fillings.numbers?.(19 * megabyte) ?? '');
/** The CPU time that this machine takes now to parse as much at once. */
const parsedAtOnce = () => longestTurn(async () => JSON.parse(numbers));
/** Parts of it; with the client in the same process, which writes the body in a turn of its own. */
const longest = 1.5;

describe.each(Object.entries(tokens).map(([who, tokenOf], row) => [who, tokenOf, row] as const))(
  'With a token for %s',
  (_who, tokenOf, row) => {
    describe.each(
      Object.entries(requests).map(
        ([what, requestOf], number, { length }) => [what, requestOf, row * length + number] as const,
      ),
    )('%s of nineteen megabytes', (_what, requestOf, number) => {
      it.each(inTurn(Object.entries(fillings), number))(
        'full of %s holds up no other request',
        async (_, fillingOf) => {
          const [method, path, body] = requestOf(fillingOf(19 * megabyte));
          const headers = { 'content-type': `application/${method === 'PATCH' ? 'json-patch' : 'fhir'}+json` };
          const turns: number[] = [];
          do {
            const turn = await longestTurn(async () => {
              // An operation expects another answer than that of this server.
              expect([200, 400, 413, 502]).toContain(await send(path, tokenOf(), { method, headers, body }));
            });
            turns.push(turn / (await parsedAtOnce()));
            // Other work of the machine or a collection of garbage may come in between, but not each time.
          } while (Math.min(...turns) >= longest && turns.length < 3);
          expect(Math.min(...turns)).toBeLessThan(longest);
        },
      );
    });
  },
);
