/** The diagnosis of a sign-in agrees with the sign-in itself, for all kinds of accounts. */

import { type ObstacleCode, stopsAppsOnly } from '../../src/contract/rules/users/sign-in-obstacles.js';
import type { UserSignIn } from '../../src/contract/users/helpdesk.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import type { Upstream } from '../support/fhir/gateway.js';
import { startNamedFhirServer } from '../support/fhir/named-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { type MailSink, startMailSink } from '../support/mail-sink.js';
import { freePorts, startPortal, type TestPortal } from '../support/portal/portal.js';
import { signInAtProvider } from '../support/providers/external-sign-in.js';
import { startIdentityProvider, type TestIdentityProvider } from '../support/providers/identity-provider.js';
import { until } from '../support/until.js';
import {
  ageAcceptedCodes,
  alterAccounts,
  authenticatorCode,
  login,
  signInByPassword,
  verifyCode,
} from '../support/users/authenticator.js';
import { type PasskeyDevice, passkeyOptions } from '../support/users/passkey-device.js';
import { type Person, people } from '../support/users/people.js';
import { tryWrongCodes, tryWrongPasskeys } from '../support/users/wrong-factors.js';

const person = (name: string, like: Person, claims = like.claims): Person => ({
  ...like,
  email: `${name}@example.org`,
  fullName: name,
  claims,
});
const tenant = (value: string) => ({ name: 'tenant', value });
const locals = {
  patient: people.patient as Person,
  practitioner: people.practitioner as Person,
  northern: person('northern', people.patient, [...people.patient.claims, tenant('north')]),
  moved: person('moved', people.patient, [...people.patient.claims, tenant('closed-clinic')]),
  doctorOfDown: person('doctor', people.practitioner, [...people.practitioner.claims, tenant('down')]),
  recordless: person('recordless', people.patient),
  guessed: person('guessed', people.patient),
  attacked: person('attacked', people.practitioner),
  coded: person('coded', people.practitioner),
  uncoded: person('uncoded', people.practitioner),
  keyed: person('keyed', people.patient),
  released: person('released', people.patient),
  leaving: person('leaving', people.patient),
};
const app = { ...publicApp, requireConsent: false };

let hospital: Upstream;
let provider: TestIdentityProvider;
let sink: MailSink;
let portal: TestPortal;
let admin: Agent;

beforeAll(async () => {
  [hospital, provider, sink] = [
    await startNamedFhirServer('none'),
    await startIdentityProvider(),
    await startMailSink(),
  ];
  const [closedPort] = await freePorts(1);
  const base = (id: string, baseUrl: string) => ({ id, name: id, baseUrl, credentials: { type: 'none' } });
  portal = await startPortal({
    config: {
      account: { deletionDays: 7 },
      email: sink.config,
      clients: [app],
      users: [people.admin, ...Object.values(locals)],
      identityProviders: [provider.entry({ allowedGroups: ['patients', 'staff'] })],
      fhir: {
        baseUrl: hospital.url,
        tenants: [base('north', hospital.url), base('down', `http://127.0.0.1:${closedPort}`)],
      },
    },
  });
  provider.trust(portal);
  admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  for (const { email } of [locals.patient, locals.northern]) {
    await until(async () => (await told(await idOf(email))).obstacles.length === 0);
  }
});

afterAll(async () => {
  await portal.close();
  await provider.close();
  await sink.stop();
  await hospital.close();
});

async function idOf(email: string): Promise<string> {
  const [row] = await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
  if (!row) throw new Error(`there is no account of ${email}`);
  return row.id;
}

async function told(id: string): Promise<UserSignIn> {
  const answer = await admin.get(`/api/admin/user/${id}/sign-in`);
  expect(answer.status).toBe(200);
  return answer.json<UserSignIn & Record<string, unknown>>();
}

/** True if a session begins. */
type SignIn = (browser: Agent) => Promise<boolean>;
const hasSession = async (browser: Agent) => (await browser.get('/api/session')).status === 200;

const byPassword =
  ({ email, password }: Pick<Person, 'email' | 'password'>): SignIn =>
  async (browser) => {
    await login(browser, { email, password });
    return hasSession(browser);
  };
const atProvider =
  (subject: string): SignIn =>
  async (browser) => {
    await signInAtProvider(portal, provider, subject, { browser });
    return hasSession(browser);
  };

/** By the password and then a passkey. */
const byBoth =
  (who: Person, device: PasskeyDevice): SignIn =>
  async (browser) => {
    expect((await login(browser, who)).json()).toMatchObject({ is2faEnabled: true, hasPasskey: true });
    await browser.post('/api/twofactor/passkey', { response: device.answer(await secondFactorOptions(browser)) });
    return hasSession(browser);
  };
const secondFactorOptions = (browser: Agent) => passkeyOptions(browser, '/api/twofactor/passkey/options');

/** By the password and then a code. */
const byCode =
  (who: Person, key: string): SignIn =>
  async (browser) => {
    await ageAcceptedCodes(portal);
    await login(browser, who);
    await verifyCode(browser, authenticatorCode(key));
    return hasSession(browser);
  };

async function guess({ email }: Person, count: number, from: Record<string, string> = {}): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < count; at += 1) {
    const browser = new Agent(portal.issuer);
    answers.push(await browser.post('/api/session/login', { username: email, password: 'wrong' }, { headers: from }));
  }
  return answers;
}

async function invited(name: string): Promise<Person> {
  const invitee = person(name, people.patient);
  const { email, fullName, userType, claims } = invitee;
  expect((await admin.post('/api/admin/user', { email, fullName, userType, claims })).status).toBe(201);
  return invitee;
}

interface Case {
  title: string;
  /** Brings the account into its state; returns its id and the way it signs in. */
  prepare: () => Promise<{ id: string; signIn: SignIn }>;
  codes: ObstacleCode[];
  /** Parameters of the app's request. */
  app?: Record<string, string>;
}

const local = async (who: Person) => ({ id: await idOf(who.email), signIn: byPassword(who) });

const cases: Case[] = [
  { title: 'a patient', prepare: () => local(locals.patient), codes: [] },
  { title: 'a practitioner', prepare: () => local(locals.practitioner), codes: [], app: { scope: 'openid fhirUser' } },
  {
    title: 'a patient of a tenant',
    prepare: () => local(locals.northern),
    codes: [],
    app: { aud: 'north' },
  },
  {
    title: 'a patient of a tenant that is not configured',
    prepare: () => local(locals.moved),
    codes: ['other-tenant'],
  },
  {
    title: 'a practitioner whose FHIR server is down',
    prepare: () => local(locals.doctorOfDown),
    codes: ['records-unreachable'],
    app: { aud: 'down' },
  },
  {
    title: 'a patient with the record of another type',
    prepare: async () => {
      await alterAccounts(
        portal,
        `UPDATE account SET claims = '[{"name": "fhirUser", "value": "Practitioner/1"}]' WHERE email = '${locals.recordless.email}'`,
      );
      return local(locals.recordless);
    },
    codes: ['no-record'],
  },
  {
    title: 'a patient after five wrong passwords from one address',
    prepare: async () => {
      await guess(locals.guessed, 5);
      return local(locals.guessed);
    },
    codes: ['password-locked-somewhere'],
  },
  {
    title: 'a practitioner after many wrong passwords from everywhere',
    prepare: async () => {
      await guess(locals.attacked, 1);
      await portal.query("UPDATE rate_limit SET points = 40 WHERE key LIKE 'login-account:%'");
      await portal.query("UPDATE rate_limit SET points = 1 WHERE key LIKE 'login-pair:%'");
      await guess(locals.attacked, 1);
      return local(locals.attacked);
    },
    codes: ['password-locked'],
  },
  {
    title: 'a practitioner after ten wrong codes',
    prepare: async () => {
      const key = await tryWrongCodes(portal, locals.coded);
      return { id: await idOf(locals.coded.email), signIn: byCode(locals.coded, key) };
    },
    codes: ['second-factor-locked'],
  },
  {
    title: 'a patient after twenty wrong passkeys beside the password',
    prepare: async () => {
      const device = await tryWrongPasskeys(portal, locals.keyed);
      return { id: await idOf(locals.keyed.email), signIn: byBoth(locals.keyed, device) };
    },
    codes: ['passkey-locked'],
  },
  {
    title: 'a patient who has not accepted the invitation',
    prepare: async () => {
      const invitee = await invited('invited');
      await sink.to(invitee.email);
      return local(invitee);
    },
    codes: ['not-activated'],
  },
  {
    title: 'a patient whose invitation has expired',
    prepare: async () => {
      const invitee = await invited('expired');
      await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'mail'")).length === 0);
      await portal.query('UPDATE account_link SET expires_at = now() WHERE account_id = $1', [
        await idOf(invitee.email),
      ]);
      return local(invitee);
    },
    codes: ['invitation-expired'],
  },
  {
    title: 'a patient whose invitation the mail server refuses for now',
    prepare: async () => {
      sink.behaviour = 451;
      const invitee = await invited('unsent');
      await until(async () => (await portal.query("SELECT FROM job WHERE kind = 'mail' AND attempts > 0")).length > 0);
      await portal.query("UPDATE job SET created_at = created_at - interval '2 minutes' WHERE kind = 'mail'");
      sink.behaviour = 'accept';
      return local(invitee);
    },
    codes: ['invitation-waits'],
  },
  {
    title: 'a patient who has asked for the deletion of the account',
    prepare: async () => {
      const owner = await signInByPassword(portal, locals.leaving);
      const answer = await owner.post('/api/user/deletion', { currentPassword: locals.leaving.password });
      expect(answer.status).toBe(200);
      return local(locals.leaving);
    },
    codes: ['deletion-waits'],
  },
  {
    title: 'a patient of another provider',
    prepare: async () => {
      await signInAtProvider(portal, provider, 'grace');
      return { id: await idOf('grace.field@hospital.example'), signIn: atProvider('grace') };
    },
    codes: [],
  },
  {
    title: 'a practitioner of another provider',
    prepare: async () => {
      await signInAtProvider(portal, provider, 'otto');
      return { id: await idOf('otto.stone@hospital.example'), signIn: atProvider('otto') };
    },
    codes: [],
    app: { scope: 'openid fhirUser' },
  },
  {
    title: 'a user for whom another provider names no record',
    prepare: async () => {
      await signInAtProvider(portal, provider, 'no-record');
      return { id: await idOf('rolf@hospital.example'), signIn: atProvider('no-record') };
    },
    codes: ['incomplete'],
  },
];

describe('The obstacles to the sign-in of', () => {
  beforeEach(() => portal.query('DELETE FROM rate_limit'));

  it.each(cases)('$title are those that the sign-in then meets', async ({ prepare, codes, app: parameters = {} }) => {
    const { id, signIn } = await prepare();
    const { obstacles } = await told(id);
    expect(obstacles.map(({ code }) => code)).toEqual(codes);
    for (const { code, until: end } of obstacles)
      expect([code, end === null || Date.parse(end) > 0]).toEqual([code, true]);

    const browser = new Agent(portal.issuer);
    expect(await signIn(browser)).toBe(codes.every((code) => stopsAppsOnly.includes(code)));
    if (!(await hasSession(browser))) return;
    const { aud, ...more } = parameters;
    const request = new SmartApp(
      portal,
      { client: app, parameters: { ...more, ...(aud && { aud: `${portal.fhirBase}/${aud}` }) } },
      browser,
    );
    const landed = new URL(await request.follow(request.authorizationPath));
    const tokens = await request.exchange(landed.searchParams.get('code') ?? '');
    const granted = tokens.status === 200 ? tokens.json<Tokens>().scope.split(' ') : [];
    const asked = new URLSearchParams(request.query()).get('scope')?.split(' ') ?? [];
    expect([landed.href, asked.every((scope) => granted.includes(scope))]).toEqual([landed.href, codes.length === 0]);
  });

  it('an administrator are not shown to other administrators', async () => {
    expect((await admin.get(`/api/admin/user/${await idOf(people.admin.email)}/sign-in`)).status).toBe(404);
  });
});

describe('An unlocked user', () => {
  beforeEach(() => portal.query('DELETE FROM rate_limit'));

  const locked: [kind: string, lock: () => Promise<{ id: string; signIn: SignIn }>][] = [
    [
      'password',
      async () => {
        await guess(locals.guessed, 6);
        return local(locals.guessed);
      },
    ],
    [
      'code',
      async () => {
        const key = await tryWrongCodes(portal, locals.uncoded);
        return { id: await idOf(locals.uncoded.email), signIn: byCode(locals.uncoded, key) };
      },
    ],
    [
      'passkey',
      async () => {
        const device = await tryWrongPasskeys(portal, locals.released);
        return { id: await idOf(locals.released.email), signIn: byBoth(locals.released, device) };
      },
    ],
  ];

  it.each(locked)(
    'signs in at once after too many wrong tries of a %s, and the record names the administrator',
    async (kind, lock) => {
      const { id, signIn } = await lock();
      const browser = new Agent(portal.issuer);
      expect(await signIn(browser)).toBe(false);
      expect((await admin.post(`/api/admin/user/${id}/unlock`, undefined)).status).toBe(204);
      expect((await told(id)).obstacles).toEqual([]);
      expect(await signIn(browser)).toBe(true);
      const events = "SELECT detail, user_id FROM audit_event WHERE type = 'user.unlocked' AND subject = $1";
      expect(await portal.query(events, [id])).toEqual([
        { detail: { released: [kind] }, user_id: await idOf(people.admin.email) },
      ]);
      expect((await admin.post(`/api/admin/user/${id}/unlock`, undefined)).status).toBe(204);
      expect(await portal.query(events, [id])).toHaveLength(1);
    },
  );
});
