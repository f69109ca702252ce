import { randomUUID } from 'node:crypto';
import type { Tokens } from '../../support/apps/smart-app.js';
import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { type ClientKind, clientKinds } from '../../support/clients/client-kinds.js';
import { createDatabase, type TestConnection } from '../../support/database/database.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../../support/mail-sink.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { authenticatorCode, enableTwoFactor, login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const apps = clientKinds.map((kind) => kind.client('restarted', { accessTokenType: 'Reference' }));
const keys = await Promise.all([makeClientKey('ES384', 'ec-key'), makeClientKey('RS384', 'rsa-key')]);
const service = serviceWithKeys('keyed-service', keys);

let sink: MailSink;
let database: { connection: TestConnection; drop(): Promise<void> };
let portal: PortalProcess;
let port: number;
/** For each single-use value that was used, the request that uses it again. */
const uses = new Map<string, () => Promise<Answer>>();
/** The access token from the code of each kind of client. */
const accessTokens = new Map<ClientKind, string>();

const agent = () => new Agent(portal.issuer);

async function start(): Promise<void> {
  portal = await PortalProcess.start({
    database: database.connection,
    port,
    config: {
      users: [people.patient, people.otherPatient, people.practitioner],
      clients: [...apps, service],
      email: sink.config,
    },
  });
}

/** Each later use is a new request with the same single-use value. */
async function firstUse(name: string, use: () => Promise<Answer>): Promise<Answer> {
  const answer = await use();
  if (answer.status >= 300) throw new Error(`${name} was answered ${answer.status}: ${answer.text}`);
  uses.set(name, use);
  return answer;
}

async function useTokens(kind: ClientKind, patient: Agent): Promise<void> {
  const reached = { issuer: portal.issuer, fhirBase: `${portal.issuer}/fhir` };
  const newApp = () => kind.app(reached, kind.client('restarted'), {}, patient);

  const app = newApp();
  const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
  const redeemed = await firstUse(`code (${kind.name})`, () => app.exchange(code));
  accessTokens.set(kind, redeemed.json<Tokens>().access_token);

  const other = newApp();
  const { refresh_token: first = '' } = await other.tokens(people.patient);
  const refreshed = await firstUse(`refresh token (${kind.name})`, () => other.refresh(first));
  // Its successor is used, too: until then a repetition would get the same answer.
  expect((await other.refresh(refreshed.json<Tokens>().refresh_token ?? '')).status).toBe(200);
}

async function useAll(): Promise<void> {
  const patient = agent();
  await login(patient, people.patient);
  for (const kind of clientKinds) await useTokens(kind, patient);

  for (const key of keys) {
    const audience = `${portal.issuer}/connect/token`;
    const assertion = await clientAssertion({ clientId: service.clientId, audience, key });
    await firstUse(`assertion (${key.alg})`, () =>
      agent().postForm('/connect/token', {
        grant_type: 'client_credentials',
        scope: 'system/*.rs',
        client_assertion_type: assertionType,
        client_assertion: assertion,
      }),
    );
  }

  await agent().post('/api/user/forgot-password', { email: people.otherPatient.email });
  const { u, t: token } = linkInMail(await sink.to(people.otherPatient.email));
  await firstUse('reset link', () => {
    const password = randomUUID();
    return agent().send(`/api/user/forgot-password/${u}/reset`, { method: 'PUT', body: { password, token } });
  });

  const browser = agent();
  await login(browser, people.practitioner);
  const { key: authenticator, recoveryCodes } = await enableTwoFactor(browser);
  // The code of the next step, which stays within the window for longest.
  const verificationCode = authenticatorCode(authenticator, 1);
  const secondStep = (path: string, body: object) => async () => {
    const pending = agent();
    await login(pending, people.practitioner);
    return pending.post(path, body);
  };
  await firstUse('authenticator code', secondStep('/api/twofactor/verify', { verificationCode }));
  await firstUse('recovery code', secondStep('/api/twofactor/verify-recovery', { recoveryCode: recoveryCodes[0] }));
}

beforeAll(async () => {
  sink = await startMailSink();
  database = await createDatabase();
  [port = 0] = await freePorts(1);
  await start();
  await useAll();
  expect(await portal.end('SIGKILL')).toBe('SIGKILL');
  await start();
});

afterAll(async () => {
  await portal.end('SIGKILL');
  await sink.stop();
  await database.drop();
});

describe('R-02 After a node was killed and restarted', () => {
  it.each([
    ...keys.map(({ alg }) => [`assertion (${alg})`, 401] as const),
    ['reset link', 400] as const,
    ['authenticator code', 400] as const,
    ['recovery code', 400] as const,
    ...clientKinds.map(({ name }) => [`refresh token (${name})`, 400] as const),
    ...clientKinds.map(({ name }) => [`code (${name})`, 400] as const),
  ])('a used %s is refused', async (name, status) => {
    expect(await uses.get(name)?.()).toMatchObject({ status });
  });

  it.each(clientKinds)('a code that is used again still ends its grant ($name)', async (kind) => {
    expect((await kind.userinfo(agent(), accessTokens.get(kind) ?? '')).status).toBe(401);
  });
});
