import { DemoGateway } from '../../support/demo-gateway.js';
import { describeAnyRequest } from '../../support/oracle.js';

let demo: DemoGateway;

beforeAll(async () => {
  demo = await DemoGateway.start();
});

afterAll(() => demo.close());

describe('any generated request with any scopes', () => describeAnyRequest(() => demo));
