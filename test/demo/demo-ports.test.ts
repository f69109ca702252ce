import { demoClients } from '../../demo/demo-accounts.js';
import { demoPorts, LARGEST_PORTAL_PORT } from '../../demo/demo-ports.js';

describe('the ports of a demo', () => {
  it('are 3000 and 3801 to 3803 by default', () => {
    expect(demoPorts()).toEqual({ portal: 3000, fhir: 3801, app: 3802, ehr: 3803 });
  });

  it('all move with the port of the portal, and so does the redirect URI of the sample app', () => {
    const { app, ...others } = demoPorts(4000);
    expect({ app, ...others }).toEqual({ portal: 4000, fhir: 4801, app: 4802, ehr: 4803 });
    expect(demoClients(`http://localhost:${app}`)[0]).toMatchObject({ redirectUris: ['http://localhost:4802/app'] });
  });

  it('exist for every possible port of the portal', () => {
    expect(Math.max(...Object.values(demoPorts(LARGEST_PORTAL_PORT)))).toBe(65_535);
  });
});
