import type { ProblemBody } from '../../src/contract/problem.js';
import type { AppSettings } from '../../src/contract/settings.js';
import { Admins } from '../../src/users/application/admins/admins.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { type PortalOptions, startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const { email: Email, password: Password } = people.admin;

function create(portal: TestPortal, body: object = { Email, Password }, node = 0): Promise<Answer> {
  return new Agent(portal.issuer, portal.ports[node]).post('/api/admin/adminmanagement/create-initial', body);
}

async function settings(portal: TestPortal, node = 0): Promise<AppSettings> {
  return (await new Agent(portal.issuer, portal.ports[node]).get('/api/settings')).json<
    AppSettings & Record<string, unknown>
  >();
}

async function admins(portal: TestPortal): Promise<number> {
  return (await portal.query("SELECT 1 FROM account WHERE user_type = 'Admin'")).length;
}

async function withPortal(options: PortalOptions, work: (portal: TestPortal) => Promise<void>): Promise<void> {
  const portal = await startPortal(options);
  try {
    await work(portal);
  } finally {
    await portal.close();
  }
}

describe('the first administrator', () => {
  it('is created once, can sign in afterwards, and is not signed in by the creation', () =>
    withPortal({}, async (portal) => {
      expect(await settings(portal)).toMatchObject({ adminAccountIsConfigured: false, setupTokenRequired: false });
      const created = await create(portal);
      expect([created.status, created.text, created.headers['set-cookie']]).toEqual([200, '', undefined]);
      expect((await settings(portal)).adminAccountIsConfigured).toBe(true);
      const signedIn = await new Agent(portal.issuer).post('/api/session/login', {
        username: Email,
        password: Password,
      });
      expect(signedIn.status).toBe(200);
    }));

  it('J-01 J-02 is created by one of several requests at once on two nodes, and never again', () =>
    withPortal({ nodes: 2 }, async (portal) => {
      const answers = await Promise.all(
        [0, 1, 0, 1].map((node) => create(portal, { Email: `a${node}${Email}`, Password }, node)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
      expect(await admins(portal)).toBe(1);

      await portal.query('DELETE FROM account');
      expect((await create(portal, undefined, 1)).status).toBe(403);
      expect((await settings(portal, 0)).adminAccountIsConfigured).toBe(true);
    }));

  it('J-04 can still be created after a creation that failed', () =>
    withPortal({}, async (portal) => {
      await portal.query('ALTER TABLE account ADD CONSTRAINT fault CHECK (false)');
      expect((await create(portal)).status).toBe(500);
      expect((await settings(portal)).adminAccountIsConfigured).toBe(false);
      await portal.query('ALTER TABLE account DROP CONSTRAINT fault');
      expect((await create(portal)).status).toBe(200);
      expect(await admins(portal)).toBe(1);
    }));

  it('J-03 requires the setup token where other hosts can connect, with one token for all nodes', () =>
    withPortal({ nodes: 2, config: { server: { host: '0.0.0.0', trustedProxies: [] } } }, async (portal) => {
      expect((await settings(portal)).setupTokenRequired).toBe(true);
      for (const body of [
        { Email, Password },
        { Email, Password, SetupToken: 'guess' },
      ]) {
        const refused = await create(portal, body);
        expect(refused.status).toBe(400);
        expect(refused.json<ProblemBody & Record<string, unknown>>().errors[0]?.field).toBe('SetupToken');
      }
      const token = await portal.apps[1]?.get(Admins, { strict: false }).neededSetupToken();
      expect((await create(portal, { Email, Password, SetupToken: token })).status).toBe(200);
      expect(await settings(portal)).toMatchObject({ adminAccountIsConfigured: true, setupTokenRequired: false });
    }));

  it('J-03 requires the setup token also behind a proxy on the same machine', () =>
    withPortal({ issuer: 'https://login.hospital.example' }, async (portal) => {
      expect((await settings(portal)).setupTokenRequired).toBe(true);
      expect((await create(portal)).status).toBe(400);
      const token = await portal.apps[0]?.get(Admins, { strict: false }).neededSetupToken();
      expect((await create(portal, { Email, Password, SetupToken: token })).status).toBe(200);
    }));

  it('J-05 H-12 needs a valid address and a strong password, and each problem is reported for its field', () =>
    withPortal({}, async (portal) => {
      const refused = await create(portal, { Email: 'ada', Password: 'password1234' });
      expect(refused.status).toBe(400);
      expect(refused.json().errors).toEqual([
        { field: 'Email', messages: ['The Email field is not a valid e-mail address'] },
        { field: 'Password', messages: ['This password is too common. Please choose one that is harder to guess.'] },
      ]);
      expect((await create(portal, { Email: ' ', Password: '' })).json().errors).toEqual([
        { field: 'Email', messages: ['The Email field is required.'] },
        { field: 'Password', messages: ['Password requirements not fulfilled.', 'At least 12 characters'] },
      ]);
      expect((await create(portal, {})).json().errors).toEqual([
        { field: 'Email', messages: ['The Email field is required.'] },
        { field: 'Password', messages: ['Field is required'] },
      ]);
      expect((await create(portal, { Email, Password, userType: 'Patient' })).status).toBe(400);
      expect(await admins(portal)).toBe(0);
    }));

  it('J-05 can be attempted five times a minute from one address, over all nodes', () =>
    withPortal({ nodes: 2 }, async (portal) => {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 6; attempt++) {
        statuses.push((await create(portal, { Email, Password: 'short' }, attempt % 2)).status);
      }
      expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
      const throttled = await create(portal);
      expect([throttled.status, Number(throttled.headers['retry-after']) > 0]).toEqual([429, true]);
    }));
});

describe('accounts in the configuration', () => {
  it('are created once, also on several nodes at once, and can sign in', () =>
    withPortal({ nodes: 2, config: { users: [people.admin, people.patient] } }, async (portal) => {
      expect(await portal.query('SELECT user_type FROM account ORDER BY user_type')).toEqual([
        { user_type: 'Admin' },
        { user_type: 'Patient' },
      ]);
      expect((await create(portal)).status).toBe(403);
      const { email: username, password } = people.patient;
      expect((await new Agent(portal.issuer).post('/api/session/login', { username, password })).status).toBe(200);
    }));

  it('stop the start when they are invalid, and each problem is named', async () => {
    const users = [
      people.admin,
      { ...people.patient, password: 'password1234' },
      { ...people.practitioner, claims: [] },
    ];
    await expect(startPortal({ config: { users } })).rejects.toMatchObject({
      problems: [
        'users.1.password: This password is too common. Please choose one that is harder to guess.',
        'users.2.claims: The fhirUser claim is mandatory',
      ],
    });
  });
});
