import { testAttribution } from '../../support/fhir/attribution-oracle.js';
import { DemoGateway } from '../../support/fhir/demo-gateway.js';

let demo: DemoGateway;

beforeAll(async () => {
  demo = await DemoGateway.start();
});

afterAll(() => demo.close());

describe('the record of any generated request with any token', () => testAttribution(() => demo));
