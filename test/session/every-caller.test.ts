/** Every call of the description, made as every kind of caller. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AuditState } from '../../src/contract/audit.js';
import { fileBodyType } from '../../src/contract/rules/request-files.js';
import { managementScope } from '../../src/oidc/domain/access-tokens.js';
import { basicAuthorization } from '../support/apps/smart-app.js';
import { backendService, sharedSecret } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startFhirPortal, untilFhirServerIsAvailable } from '../support/portal/fhir-portal.js';
import type { TestPortal } from '../support/portal/portal.js';
import { inTurn } from '../support/runs.js';
import { until } from '../support/until.js';
import { enableTwoFactor, signInByPassword, signInWithCode } from '../support/users/authenticator.js';
import { addPasskey } from '../support/users/passkey-device.js';
import { type Person, people } from '../support/users/people.js';

interface Operation {
  description: string;
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, object>;
}

interface Call extends Operation {
  line: string;
  method: string;
  path: string;
}

const { admin, patient, otherPatient, practitioner } = people;
const secondAdmin: Person = { ...admin, email: 'second.admin@example.org' };
const thirdAdmin: Person = { ...admin, email: 'third.admin@example.org' };
const manager = { ...backendService, clientId: 'manager', clientName: 'Provisioning', clientType: 'ManagementApi' };

/** The description that `npm run build` has written. */
const described = JSON.parse(readFileSync('dist/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const calls: Call[] = Object.entries(described.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...{ ...operation, path, method: method.toUpperCase() },
    line: `${method.toUpperCase()} ${path}`,
  })),
);

const isOpen = ({ security }: Call) => security.some((one) => Object.keys(one).length === 0);
const admitsService = ({ security }: Call) => security.some((one) => 'service' in one);
const admits = ({ description }: Call, type: string) => new RegExp(`Callers: .*${type}`, 'i').test(description);
const isOfAdmins = (call: Call) => !isOpen(call) && !admits(call, 'patients') && !admits(call, 'practitioners');

type Outcome = 'admitted' | 'either' | 401 | 403;

/** Each kind of caller, and what the description promises it. */
const kinds: Record<string, (call: Call) => Outcome> = {
  'a caller without a session': (call) => (isOpen(call) ? 'admitted' : 401),
  'a patient': (call) => (isOpen(call) || admits(call, 'patients') ? 'admitted' : 403),
  'a practitioner': (call) => (isOpen(call) || admits(call, 'practitioners') ? 'admitted' : 403),
  'an administrator': (call) => (isOpen(call) || admits(call, 'administrators') ? 'admitted' : 403),
  // `test/session/own-account-level.test.ts` names the calls about the own account that stay open.
  'an administrator without the factor that is needed': (call) =>
    isOpen(call) ? 'admitted' : admits(call, 'administrators') && !isOfAdmins(call) ? 'either' : 403,
  'an administrator who has not used the factor that is needed': (call) =>
    isOpen(call) ? 'admitted' : admits(call, 'administrators') && !isOfAdmins(call) ? 'either' : 403,
  'a service with a management token': (call) =>
    isOpen(call) || admitsService(call) ? 'admitted' : call.path.startsWith('/api/admin/') ? 403 : 401,
  'a service with a self-contained management token': (call) =>
    isOpen(call) || admitsService(call) ? 'admitted' : call.path.startsWith('/api/admin/') ? 403 : 401,
  'a service with a token for the FHIR server': (call) => (isOpen(call) ? 'admitted' : 401),
};

let portal: TestPortal;
let callers: Record<string, { agent: Agent; headers: Record<string, string> }>;

beforeAll(async () => {
  portal = await startFhirPortal({
    config: {
      users: [admin, secondAdmin, thirdAdmin, patient, otherPatient, practitioner],
      clients: [
        backendService,
        { ...manager, accessTokenType: 'Reference' },
        { ...manager, clientId: 'other-manager', accessTokenType: 'Jwt' },
      ],
    },
  });
  await addPasskey(await signInByPassword(portal, secondAdmin));
  const factor = await enableTwoFactor(await signInByPassword(portal, admin));
  const browserOf = async (person: Person) => ({ agent: await signInByPassword(portal, person), headers: {} });
  callers = {
    'a caller without a session': { agent: new Agent(portal.issuer), headers: {} },
    'a patient': await browserOf(patient),
    'a practitioner': await browserOf(practitioner),
    'an administrator': { agent: await signInWithCode(portal, admin, factor), headers: {} },
    'an administrator without the factor that is needed': await browserOf(thirdAdmin),
    'an administrator who has not used the factor that is needed': await browserOf(secondAdmin),
    'a service with a management token': await service('manager', managementScope),
    'a service with a self-contained management token': await service('other-manager', managementScope),
    'a service with a token for the FHIR server': await service(backendService.clientId, 'system/Patient.rs'),
  };
  // As after a restart with another setting.
  Object.assign(portal.config.account, { adminsNeed: 'two-factor' });
  await untilFhirServerIsAvailable(asAdmin());
});

afterAll(() => portal.close());

const asAdmin = () => (callers['an administrator'] as { agent: Agent }).agent;

async function service(clientId: string, scope: string) {
  const form = { grant_type: 'client_credentials', scope };
  const agent = new Agent(portal.issuer);
  const answer = await agent.postForm('/connect/token', form, { headers: basicAuthorization(clientId, sharedSecret) });
  const { access_token: token } = answer.json<{ access_token: string }>();
  return { agent, headers: { authorization: `Bearer ${token}` } };
}

const newClient = () => ({
  ...(bodyOf('POST /api/admin/client') as object),
  clientId: `client-${randomUUID()}`,
});
const newUser = () => ({
  ...(bodyOf('POST /api/admin/user') as object),
  email: `${randomUUID()}@example.org`,
});

/** Bodies of which the example of the description would not do. */
const bodies: Record<string, () => unknown> = {
  // Without a name that has to be resolved.
  'POST /api/admin/client/check-keys': () => ({ url: 'https://127.0.0.1:1/keys' }),
  'POST /api/admin/client': newClient,
  'POST /api/admin/user': newUser,
  'PUT /api/admin/client/{id}': newClient,
  'POST /api/admin/configuration/tag': () => ({ value: randomUUID().slice(0, 18), color: '#2f7d6d' }),
  'PUT /api/admin/configuration/tag/{id}': () => ({ value: randomUUID().slice(0, 18), color: '#2f7d6d' }),
};

const takesFile = (line: string) => {
  const content = calls.find((call) => call.line === line)?.requestBody?.content;
  return content !== undefined && fileBodyType in content;
};

const bodyOf = (line: string) =>
  calls.find((call) => call.line === line)?.requestBody?.content['application/json']?.example;

/** Makes something that an id of a path can name, by its beginning. */
const targets: [beginning: string, make: (caller: string) => Promise<string>][] = [
  ['/api/admin/client/bulk/', async () => randomUUID()],
  ['/api/admin/client/', async () => idOf(await asAdmin().post('/api/admin/client', newClient()))],
  ['/api/admin/configuration/tag/', async () => tagOf()],
  ['/api/admin/user/bulk/', async () => randomUUID()],
  ['/api/admin/user/import/', (caller) => importBy(caller)],
  ['/api/admin/user/', async () => idOf(await asAdmin().post('/api/admin/user', newUser()))],
  ['/api/admin/audit/entry/', async () => String((await portal.query('SELECT max(id) AS id FROM audit_event'))[0]?.id)],
];

const idOf = (answer: Answer) => answer.json<{ id: string }>().id;

async function tagOf(): Promise<string> {
  const answer = await asAdmin().post(
    '/api/admin/configuration/tag',
    bodies['POST /api/admin/configuration/tag']?.() as object,
  );
  return idOf(answer);
}

async function importBy(caller: string): Promise<string> {
  const id = randomUUID();
  const csv = `fullName,email,userType\nKim Lane,${id}@example.org,Patient\n`;
  await send(caller, 'PUT', `/api/admin/user/import/${id}`, { csv });
  return id;
}

function send(caller: string, method: string, path: string, body?: unknown): Promise<Answer> {
  const { agent, headers } = callers[caller] as { agent: Agent; headers: Record<string, string> };
  return agent.send(path, { method, headers: { ...headers, ...typeOf(body) }, body: body as object });
}

/** A body that is no JSON is that of a file. */
const typeOf = (body: unknown): Record<string, string> =>
  typeof body === 'string' ? { 'content-type': fileBodyType } : {};

/** The call with the example of its description, for something that exists or for an unknown id. */
async function make(caller: string, call: Call, isThere: boolean): Promise<Answer> {
  const { line, method, path, parameters = [] } = call;
  const target = isThere ? targets.find(([beginning]) => path.startsWith(beginning))?.[1] : undefined;
  const id = target ? await target(caller) : path.includes('/audit/') ? '0' : randomUUID();
  const query = new URLSearchParams(
    parameters
      .filter((one) => one.in === 'query' && one.required)
      .map(({ name, example }): [string, string] => [name, String(example)]),
  );
  const address = path.replace(/\{(id|userId)\}/, id).replace(/\{\w+\}/g, 'b1T0x4h9');
  await portal.query('DELETE FROM rate_limit');
  return send(
    caller,
    method,
    query.size > 0 ? `${address}?${query}` : address,
    bodies[line]?.() ??
      (takesFile(line) ? 'file' : bodyOf(line)) ??
      (method === 'GET' || method === 'DELETE' ? undefined : {}),
  );
}

/** Refusals of admitted callers that are about what the call does. */
const ofItsOwn = new Set([
  // There is an administrator.
  'POST /api/admin/adminmanagement/create-initial',
  // Their session does not prove who they are (an address of a link), or they have proven nothing yet.
  ...['POST /api/session/login', 'GET /api/session', 'POST /api/passkeys/sign-in'],
  ...['POST /api/twofactor/verify', 'POST /api/twofactor/verify-recovery', 'POST /api/twofactor/lost'],
  ...['POST /api/twofactor/passkey', 'POST /api/twofactor/passkey/options'],
]);

describe.each(Object.entries(kinds).map(([caller, promised], number) => [caller, promised, number] as const))(
  '%s',
  (caller, promised, number) => {
    it.each([
      ['of something that exists', 0],
      ['of an unknown id', 1],
    ])('is answered at each call %s as described', async (_what, turn) => {
      const isThere = turn === 0;
      const wrong: unknown[] = [];
      // Of two callers that follow each other, one makes the call for what exists and the other for an unknown id.
      for (const call of calls.filter((_, index) => inTurn([0, 1], index + number).includes(turn))) {
        const expected = promised(call);
        const { status, text } = await make(caller, call, isThere);
        const isRefused = status === 401 || status === 403;
        const isRight =
          typeof expected === 'number'
            ? status === expected
            : !isRefused || (expected === 'either' && status === 403) || ofItsOwn.has(call.line);
        if (!isRight || status >= 500 || !(status in call.responses)) wrong.push([call.line, expected, status, text]);
      }
      expect(wrong).toEqual([]);
    });
  },
);

describe('A service with a management token', () => {
  it('is answered like an administrator, wherever it may call', async () => {
    const different: unknown[] = [];
    const ofServices = calls.filter(admitsService);
    let successes = 0;
    for (const call of ofServices) {
      const [one, other] = [
        await make('an administrator', call, true),
        await make('a service with a management token', call, true),
      ];
      if (one.status !== other.status) different.push([call.line, one.status, other.status]);
      if (other.status < 300) successes += 1;
    }
    expect(different).toEqual([]);
    expect(successes).toBeGreaterThan(50);
  });

  it('verifies the audit record, which names it', async () => {
    const caller = 'a service with a self-contained management token';
    const state = async () => (await send(caller, 'GET', '/api/admin/audit/state')).json<AuditState>();
    const isDone = async () => (await state()).verification?.state === 'done';
    await until(async () => ((await state()).verification === null ? true : isDone()));
    expect((await send(caller, 'POST', '/api/admin/audit/verification', {})).status).toBe(200);
    await until(isDone);
    const { verification, lastVerified } = await state();
    expect([verification?.by, lastVerified?.by]).toEqual(['client other-manager', 'client other-manager']);
    const rows = await portal.query("SELECT user_id FROM audit_event WHERE type = 'audit.verified' ORDER BY id DESC");
    expect(rows[0]).toEqual({ user_id: 'client other-manager' });
  });
});
