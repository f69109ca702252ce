import { tokenKinds } from '../../support/fhir/dialect-gateway.js';
import { dialects } from '../../support/fhir/dialects.js';
import { App } from '../../support/fhir/matrix/app.js';
import { BuiltGateway } from '../../support/fhir/matrix/built-gateway.js';
import { requests } from '../../support/fhir/matrix/requests.js';

describe.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
  'The built product before %s',
  (_, dialect) => {
    let gateway: BuiltGateway;
    beforeAll(async () => {
      gateway = await BuiltGateway.start(dialect);
    });
    afterAll(() => gateway?.close());

    test.each(tokenKinds)(
      `answers ${requests.length} requests by the rules, with a token for %s that it issued`,
      async (kind) => {
        const [told, expected]: [Record<string, string>, Record<string, string>] = [{}, {}];
        for (const request of requests) {
          gateway.server.reset();
          const app = new App(gateway, kind);
          told[request.name] = await request.ask(app).catch((error: unknown) => String(error));
          expected[request.name] = request.expected(app.view, dialect);
        }
        expect(told).toEqual(expected);
      },
    );
  },
);
