import { DialectGateway, tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialects } from '../../support/fhir/dialects.js';
import { App } from '../../support/fhir/matrix/app.js';
import { requests } from '../../support/fhir/matrix/requests.js';
import { isLong } from '../../support/runs.js';

/** Of a row and a token, one request of so many is tried in the usual run; each request with each token by some row. */
const turns = isLong ? 1 : tokenKinds.length;

const rows = dialects.map((dialect, index) => [dialect.name, dialect, index] as const);
const kinds = tokenKinds.map((kind, index) => [kind, index] as const);

test('no two requests have one name', () => {
  expect(new Set(requests.map(({ name }) => name)).size).toBe(requests.length);
});

describe.each(rows)('Behind the gateway %s', (_name, dialect, row) => {
  let gateway: DialectGateway;
  beforeAll(async () => {
    const store = ({ alias }: { alias: string }) => ({ exportStores: [new URL(alias).origin] });
    gateway = await DialectGateway.start(dialect, store, { outbound: { allowedPrivateHosts: ['localhost'] } });
  });
  afterAll(() => gateway.close());

  test.each(kinds)(`answers ${requests.length} requests by the rules, with the token for %s`, async (kind, number) => {
    const [told, expected]: [Record<string, string>, Record<string, string>] = [{}, {}];
    const tried = requests.filter((_, index) => (index + row + number) % turns === 0);
    for (const request of tried) {
      gateway.server.reset();
      const app = new App(gateway, kind);
      told[request.name] = await request.ask(app).catch((error: unknown) => String(error));
      expected[request.name] = request.expected(app.view, dialect);
    }
    expect(told).toEqual(expected);
  });
});
