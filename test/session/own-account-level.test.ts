/** What an administrator may do with the own account in a session below `account.adminsNeed`. */
import { readFileSync } from 'node:fs';
import { useBusyMachine } from '../support/busy-machine.js';
import { Agent } from '../support/http/agent.js';
import { errorsOf } from '../support/http/answers.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { enableTwoFactor, signInByPassword, signInWithCode } from '../support/users/authenticator.js';
import { addPasskey, confirmByPasskey } from '../support/users/passkey-device.js';
import { people } from '../support/users/people.js';

interface Operation {
  security: object[];
  description: string;
}

const { admin, patient } = people;
const id = '7d1a3c52-6f0b-4c0e-9a51-2f8f3f1f9b64';

/** Calls of users about themselves. `adds` leads to what is lacking, and is open until the account has it. */
const calls: Record<string, 'open' | 'adds' | 'closed'> = {
  'GET /api/user/deletion': 'open',
  'GET /api/user/sessions': 'open',
  'DELETE /api/user/sessions': 'open',
  'GET /api/session/time-left': 'open',
  'GET /api/passkeys': 'open',
  'GET /api/passkeys/offer': 'open',
  'POST /api/passkeys/offer/later': 'open',
  'POST /api/passkeys/confirmation': 'open',
  'POST /api/passkeys/confirmation/options': 'open',
  'GET /api/passkeys/recovery': 'open',
  'GET /api/twofactor/enable': 'open',
  // An app's request has the conditions of its client.
  'GET /api/authorization': 'open',
  'DELETE /api/authorization': 'open',
  'GET /api/consent': 'open',
  'POST /api/consent': 'open',
  'POST /api/passkeys/registration': 'adds',
  'POST /api/passkeys': 'adds',
  'POST /api/twofactor/enable': 'adds',
  'PUT /api/user': 'closed',
  'POST /api/user/reset-password': 'closed',
  'DELETE /api/user/password': 'closed',
  'POST /api/user/data': 'closed',
  'GET /api/user/data/{ticket}': 'closed',
  'POST /api/user/deletion': 'closed',
  'PATCH /api/passkeys/{id}': 'closed',
  'DELETE /api/passkeys/{id}': 'closed',
  'DELETE /api/passkeys/recovery': 'closed',
  'POST /api/passkeys/recovery/codes': 'closed',
  'POST /api/twofactor/disable': 'closed',
  'POST /api/twofactor/disable-recovery': 'closed',
};

const bodies: Record<string, object> = {
  'PUT /api/user': { fullName: 'Mallory' },
  'POST /api/user/reset-password': { currentPassword: admin.password, newPassword: 'seven-blue-herons-7741' },
  'POST /api/user/deletion': { currentPassword: admin.password },
  'POST /api/user/data': { currentPassword: admin.password },
  'PATCH /api/passkeys/{id}': { name: 'Mine' },
  'POST /api/passkeys': { response: {} },
  'POST /api/passkeys/confirmation': { response: {} },
  'POST /api/twofactor/enable': { verificationCode: '123456' },
  'POST /api/twofactor/disable': { verificationCode: '123456', currentPassword: admin.password },
  'POST /api/twofactor/disable-recovery': { recoveryCode: 'k7pwq-3mz9d', currentPassword: admin.password },
};

let portal: TestPortal;
let provider: TestIdentityProvider;

/** As after a restart of all nodes with another setting. */
const need = (adminsNeed: 'password' | 'two-factor' | 'passkey') =>
  Object.assign(portal.config.account, { adminsNeed });

useBusyMachine();
beforeAll(async () => {
  provider = await startIdentityProvider();
  portal = await startPortal({
    config: {
      users: Object.values(people),
      identityProviders: [provider.entry({ adminGroups: ['portal-admins'] })],
    },
  });
  provider.trust(portal);
});
afterEach(async () => {
  need('password');
  await portal.query('TRUNCATE passkey, passkey_challenge, passkey_offer, two_factor, rate_limit');
});
afterAll(async () => {
  await portal.close();
  await provider.close();
});

async function send(agent: Agent, line: string) {
  const [method = '', path = ''] = line.split(' ');
  const address = path.replace('{id}', id).replace('{ticket}', 'none');
  const needsQuery = path === '/api/authorization' || line === 'GET /api/consent';
  const body = bodies[line] ?? (method === 'GET' || method === 'DELETE' ? undefined : {});
  await portal.query('TRUNCATE rate_limit');
  return agent.send(`${address}${needsQuery ? '?returnUrl=/connect/authorize/x' : ''}`, { method, body });
}

const rename = (agent: Agent, fullName: string) => agent.send('/api/user', { method: 'PUT', body: { fullName } });

/** Sessions of administrators, and what their accounts have. */
const sessions: [what: string, begin: () => Promise<Agent>, has: { passkey: boolean; app: boolean }][] = [
  ['with a password alone', () => signInByPassword(portal, admin), { passkey: false, app: false }],
  [
    'whose account has a passkey',
    async () => {
      await addPasskey(await signInByPassword(portal, admin));
      return signInByPassword(portal, admin);
    },
    { passkey: true, app: false },
  ],
  [
    'who has used an authenticator app',
    async () => signInWithCode(portal, admin, await enableTwoFactor(await signInByPassword(portal, admin))),
    { passkey: false, app: true },
  ],
  [
    'of another provider',
    async () => {
      const agent = new Agent(portal.issuer);
      const { location = '' } = await agent.get(
        '/connect/authorize/external?scheme=hospital&returnUrl=/admin/dashboard',
      );
      await agent.get(await provider.signIn(location, 'root'));
      return agent;
    },
    { passkey: false, app: false },
  ],
];

it('Every call about the own account is named here', () => {
  const { paths } = JSON.parse(readFileSync('dist/openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  const own = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(
        ([, { security, description }]) => !('' in (security[0] ?? {})) && /Callers: Administrators,/.test(description),
      )
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(Object.keys(calls).sort()).toEqual(own.sort());
});

describe.each(['two-factor', 'passkey'] as const)('Where administrators need %s, one', (setting) => {
  describe.each(sessions)('%s', (_what, begin, { passkey, app }) => {
    const isEnough = setting === 'two-factor' && app;

    const accounts = () => portal.query('SELECT email, full_name, password_hash FROM account ORDER BY email');

    if (isEnough) {
      it('changes the own account', async () => {
        const agent = await begin();
        need(setting);
        expect((await rename(agent, admin.fullName)).status).toBe(204);
      });
    } else {
      it('cannot change the own account, and reads what leads to the level', async () => {
        const agent = await begin();
        const before = await accounts();
        need(setting);
        for (const [line, kind] of Object.entries(calls)) {
          const { status, text } = await send(agent, line);
          const isRefused = /"admin-(needs|use)-/.test(text);
          const isExpected = kind === 'closed' || (kind === 'adds' && passkey);
          expect([line, isRefused, isRefused && status]).toEqual([line, isExpected, isExpected && 403]);
          const code = passkey ? '"admin-use-factor-first"' : `"admin-needs-${setting}"`;
          if (isRefused) expect(text).toContain(code);
        }
        expect(await accounts()).toEqual(before);
      });
    }
  });

  it('with a passkey is asked to use it, and then changes the own account', async () => {
    const { device } = await addPasskey(await signInByPassword(portal, admin));
    const agent = await signInByPassword(portal, admin);
    need(setting);
    expect((await rename(agent, admin.fullName)).status).toBe(403);
    await confirmByPasskey(agent, device);
    expect((await rename(agent, admin.fullName)).status).toBe(204);
  });

  it.each([patient, people.practitioner])('of $userType is no administrator: nothing changes', async (person) => {
    need(setting);
    const agent = await signInByPassword(portal, person);
    expect((await rename(agent, person.fullName)).status).toBe(204);
    expect((await agent.post('/api/user/data', {})).status).toBe(200);
    expect(errorsOf(await agent.post('/api/user/deletion', {}))[0]?.field).toBe('currentPassword');
  });
});
