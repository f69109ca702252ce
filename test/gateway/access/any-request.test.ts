import { DemoGateway } from '../../support/fhir/demo-gateway.js';
import { testAnyRequest } from '../../support/fhir/permission-oracle.js';

let demo: DemoGateway;

beforeAll(async () => {
  demo = await DemoGateway.start();
});

afterAll(() => demo.close());

describe('any generated request with any scopes', () => testAnyRequest(() => demo));
