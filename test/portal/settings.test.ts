import { readFileSync } from 'node:fs';
import type { AppSettings } from '../../src/contract/settings.js';
import { backendService, publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const pixel = { mimeType: 'image/png', base64: 'iVBORw0KGgo=' };

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      branding: {
        organizationTitle: 'Saint Anne',
        loginPageText: 'Welcome',
        logo: pixel,
        favicon: pixel,
        accentColor: '#7A1F5C',
      },
      account: { helpDesk: { phone: '+1 555 0100', page: 'https://saint-anne.example/help' } },
      users: [people.admin, people.patient, people.practitioner],
      clients: [publicApp, backendService],
    },
  });
});

afterAll(() => portal.close());

describe('GET /api/settings', () => {
  it('returns branding and password rules to any caller', async () => {
    const answer = await new Agent(portal.issuer).get('/api/settings');
    expect(answer.json<AppSettings & Record<string, unknown>>()).toEqual({
      loginPageText: 'Welcome',
      organizationTitle: 'Saint Anne',
      organizationLogoMimeType: 'image/png',
      organizationLogo: pixel.base64,
      organizationFaviconMimeType: 'image/png',
      organizationFavicon: pixel.base64,
      accentColor: '#7A1F5C',
      adminAccountIsConfigured: true,
      setupTokenRequired: false,
      passkeysAllowed: true,
      passkeysRequired: false,
      helpDesk: { phone: '+1 555 0100', email: null, page: 'https://saint-anne.example/help', hours: null },
      lostFactorWaitHours: null,
      mailWaits: true,
      version,
      passwordSettings: {
        requiredLength: 12,
        requireDigit: false,
        requireUppercase: false,
        requireLowercase: false,
        requireNonAlphanumeric: false,
      },
      documentation: {
        ...portal.config.branding.documentation,
        // Unless the operator has written a guide, the portal has one.
        fhirServer: `${portal.issuer}/admin/connect-fhir-server`,
      },
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });
});

describe('GET /api/admin/dashboard', () => {
  it('counts users and clients for an administrator, and leaves administrators out', async () => {
    const agent = new Agent(portal.issuer);
    expect((await agent.get('/api/admin/dashboard')).status).toBe(401);
    await agent.post('/api/session/login', { username: people.admin.email, password: people.admin.password });
    expect((await agent.get('/api/admin/dashboard')).json()).toEqual({ numberOfUsers: 2, numberOfClients: 2 });
  });
});
