import { testAttribution } from '../support/fhir/attribution-oracle.js';
import { DemoGateway } from '../support/fhir/demo-gateway.js';
import { startHapi } from './hapi-server.js';

let demo: DemoGateway;

beforeAll(async () => {
  demo = await DemoGateway.start(await startHapi());
  // The start takes half a minute on an idle machine.
}, 900_000);

afterAll(() => demo.close());

describe('the record of any generated request to HAPI FHIR with any token', () => testAttribution(() => demo));
