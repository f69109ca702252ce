import { Flow } from '../support/apps/flow.js';
import { SmartApp } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const app = { ...publicApp, requireConsent: false };
const studyApp = { ...app, clientId: 'study-app' };
const disclaimers = [{ id: 'study', description: 'Study', html: '<p>A study.</p>', clients: [studyApp.clientId] }];
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.admin, people.patient, people.practitioner, people.otherPatient],
      clients: [app, studyApp],
      disclaimers,
    },
  });
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
});

afterAll(() => portal.close());

async function activityOf({ email }: { email: string }) {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  return admin.get(`/api/admin/user/${row?.id}/activity`);
}

describe('The activity of a user for administrators', () => {
  it('has the last sign-in and the names of the apps', async () => {
    const since = Date.now();
    await new SmartApp(portal, { client: app }).tokens(people.patient);
    await login(new Agent(portal.issuer), people.patient);
    const { lastSignIn, apps } = (await activityOf(people.patient)).json<{ lastSignIn: string; apps: object[] }>();
    const { clientId, clientName } = app;
    expect(apps).toEqual([{ clientId, clientName, lastUsed: expect.any(String), pausedAt: null }]);
    const signIns = await portal.query<{ at: Date }>(
      "SELECT max(recorded_at) AS at FROM audit_event WHERE type = 'login' AND outcome = 'success' AND user_id <> ''" +
        ' AND user_id = (SELECT id::text FROM account WHERE email = $1)',
      [people.patient.email],
    );
    expect(lastSignIn).toBe(signIns[0]?.at.toISOString());
    expect(Date.parse(lastSignIn)).toBeGreaterThanOrEqual(since - 1000);
    // The list has the same one, if it is asked for.
    const listed = async (query: string) =>
      (await admin.get(`/api/admin/user?pageSize=100${query}`)).json<{
        users: { email: string; lastSignIn?: string }[];
      }>().users;
    const signInOf = async ({ email }: { email: string }) =>
      (await listed('&withLastSignIn=true')).find((user) => user.email === email)?.lastSignIn;
    expect(await signInOf(people.patient)).toBe(lastSignIn);
    expect(await signInOf(people.practitioner)).toBeNull();
    expect((await listed('')).some((user) => 'lastSignIn' in user)).toBe(false);
  });

  it('is empty for a user who has not signed in, also after a wrong password', async () => {
    const { email: username } = people.practitioner;
    await new Agent(portal.issuer).post('/api/session/login', { username, password: 'wrong' });
    expect((await activityOf(people.practitioner)).json()).toEqual({ lastSignIn: null, apps: [] });
  });

  it('has no app whose access was taken back, though the user has agreed to its disclaimers', async () => {
    const flow = await (await Flow.begin(portal, studyApp, { person: people.otherPatient })).agreeToAll();
    await flow.app.tokens(people.otherPatient);
    const appsOf = async () => (await activityOf(people.otherPatient)).json<{ apps: object[] }>().apps;
    expect(await appsOf()).toHaveLength(1);
    const { browser } = flow.app;
    expect((await browser.send(`/api/grant?clientId=${studyApp.clientId}`, { method: 'DELETE' })).status).toBe(204);
    const { clientsPermissions } = (await browser.get('/api/grant')).json<{ clientsPermissions: object[] }>();
    expect(clientsPermissions).toMatchObject([{ clientId: studyApp.clientId, created: null, apiGrantData: [] }]);
    expect(await appsOf()).toEqual([]);
  });

  it('does not exist for an administrator or an unknown id, and is forbidden to other users', async () => {
    expect((await activityOf(people.admin)).status).toBe(404);
    expect((await admin.get('/api/admin/user/no-id/activity')).status).toBe(404);
    const patient = new Agent(portal.issuer);
    await login(patient, people.patient);
    expect((await patient.get('/api/admin/user/00000000-0000-4000-8000-000000000000/activity')).status).toBe(403);
  });
});
