import { DemoGateway } from '../../support/fhir/demo-gateway.js';
import { describeAnyRequest } from '../../support/fhir/oracle.js';

let demo: DemoGateway;

beforeAll(async () => {
  demo = await DemoGateway.start();
});

afterAll(() => demo.close());

describe('any generated request with any scopes', () => describeAnyRequest(() => demo));
