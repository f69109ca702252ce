import { randomUUID } from 'node:crypto';
import { Agent } from '../support/agent.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../support/assertions.js';
import { codeOf, enrol, login } from '../support/authenticator.js';
import { publicApp } from '../support/clients.js';
import { createDatabase, type TestConnection } from '../support/database.js';
import { linkOf, type MailSink, startMailSink } from '../support/mail-sink.js';
import { people } from '../support/people.js';
import { freePorts } from '../support/portal.js';
import { PortalProcess } from '../support/portal-process.js';
import { SmartApp, type Tokens } from '../support/smart-app.js';

const app = { ...publicApp, requireConsent: false, accessTokenType: 'Reference' };
const key = await makeClientKey('ES384', 'key');
const service = serviceWithKeys('keyed-service', [key]);

let sink: MailSink;
let database: { connection: TestConnection; drop(): Promise<void> };
let portal: PortalProcess;
let port: number;
/** What was good for one use, as a request that uses it. */
const uses: Record<string, () => Promise<{ status: number; text: string }>> = {};
/** What is asked with what came of the first uses. */
let accessToken = '';

const agent = () => new Agent(portal.issuer);

async function start(): Promise<void> {
  portal = await PortalProcess.start({
    database: database.connection,
    port,
    config: {
      users: [people.patient, people.otherPatient, people.practitioner],
      clients: [app, service],
      email: sink.config,
    },
  });
}

/** A request of its own for each try, so that only what is used is the same. */
async function prepare(): Promise<void> {
  const smart = new SmartApp({ issuer: portal.issuer, fhirBase: `${portal.issuer}/fhir` }, { client: app });
  const landed = await smart.complete(people.patient);
  uses.code = () => smart.exchange(landed.searchParams.get('code') ?? '');

  const other = new SmartApp({ issuer: portal.issuer, fhirBase: `${portal.issuer}/fhir` }, { client: app });
  const { refresh_token: first = '' } = await other.tokens(people.patient);
  uses.refreshToken = () => other.refresh(first);

  const assertion = await clientAssertion({
    clientId: service.clientId,
    audience: `${portal.issuer}/connect/token`,
    key,
  });
  uses.assertion = () =>
    agent().postForm('/connect/token', {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      client_assertion_type: assertionType,
      client_assertion: assertion,
    });

  await agent().post('/api/user/forgot-password', { email: people.otherPatient.email });
  const { u, t: token } = linkOf(await sink.to(people.otherPatient.email));
  uses.resetLink = () => {
    const password = randomUUID();
    return agent().send(`/api/user/forgot-password/${u}/reset`, { method: 'PUT', body: { password, token } });
  };

  const browser = agent();
  await login(browser, people.practitioner);
  const { key: authenticator, recoveryCodes } = await enrol(browser);
  // Of the step to come, which stays within the window for longest.
  const verificationCode = codeOf(authenticator, 1);
  const secondStep = (path: string, body: object) => async () => {
    const pending = agent();
    await login(pending, people.practitioner);
    return pending.post(path, body);
  };
  uses.authenticatorCode = secondStep('/api/twofactor/verify', { verificationCode });
  uses.recoveryCode = secondStep('/api/twofactor/verify-recovery', { recoveryCode: recoveryCodes[0] });
}

const names = ['code', 'refreshToken', 'assertion', 'resetLink', 'authenticatorCode', 'recoveryCode'] as const;
const tryOf = (name: string) => (uses[name] as () => Promise<{ status: number; text: string }>)();

beforeAll(async () => {
  sink = await startMailSink();
  database = await createDatabase();
  [port = 0] = await freePorts(1);
  await start();
  await prepare();
  for (const name of names) {
    const { status, text } = await tryOf(name);
    if (status >= 300) throw new Error(`${name} was answered ${status}: ${text}`);
    if (name === 'code') accessToken = (JSON.parse(text) as Tokens).access_token;
    // Its successor is used, too: until then the same answer would be given again.
    if (name === 'refreshToken') {
      const form = { grant_type: 'refresh_token', client_id: app.clientId };
      const { refresh_token: next = '' } = JSON.parse(text) as Tokens;
      expect((await agent().postForm('/connect/token', { ...form, refresh_token: next })).status).toBe(200);
    }
  }
  expect(await portal.end('SIGKILL')).toBe('SIGKILL');
  await start();
});

afterAll(async () => {
  await portal.end('SIGKILL');
  await sink.stop();
  await database.drop();
});

describe('R-02 After a node was killed and started again', () => {
  it.each([
    ['assertion', 401],
    ['resetLink', 400],
    ['authenticatorCode', 400],
    ['recoveryCode', 400],
    ['refreshToken', 400],
    ['code', 400],
  ])('what was used stays used: %s', async (name, status) => {
    expect(await tryOf(name)).toMatchObject({ status });
  });

  it('and a code that comes again still ends what came of it', async () => {
    const { status } = await agent().get('/connect/userinfo', { headers: { authorization: `Bearer ${accessToken}` } });
    expect(status).toBe(401);
  });
});
