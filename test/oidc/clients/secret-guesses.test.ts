import { assertionType, clientAssertion, makeClientKey, serviceWithKeys } from '../../support/clients/assertions.js';
import { type ClientKind, kindsWithSecret } from '../../support/clients/client-kinds.js';
import { backendService, sharedSecret } from '../../support/clients/clients.js';
import { Agent, type Answer } from '../../support/http/agent.js';
import { withoutReference } from '../../support/http/references.js';
import { startFhirPortal, untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { itInTurn } from '../../support/runs.js';
import { eventually, until } from '../../support/until.js';
import { people } from '../../support/users/people.js';

const key = await makeClientKey('ES384', 'key');
const keyed = serviceWithKeys('keyed-service', [key]);
const mixed = serviceWithKeys('mixed-service', [key], sharedSecret);
const otherSecret = 'another-typed-secret-of-this-service';

let portal: TestPortal;

beforeAll(async () => {
  portal = await startFhirPortal({
    nodes: 2,
    config: {
      // The tests act as a proxy, so that they can use many addresses.
      server: { trustedProxies: ['127.0.0.1'] },
      users: [people.admin],
      clients: [backendService, keyed, mixed],
    },
  });
});

afterAll(() => portal.close());

interface Attempt {
  kind: ClientKind;
  secret?: string;
  clientId?: string;
  from: string;
  node?: number;
  path?: string;
}

function attemptBy({
  kind,
  secret = 'wrong',
  clientId = backendService.clientId,
  from,
  node = 0,
  path = 'token',
}: Attempt) {
  const agent = new Agent(portal.issuer, portal.ports[node]);
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs', token: 'unknown' };
  return kind.post(agent, `/connect/${path}`, { clientId }, form, { secret, headers: { 'x-forwarded-for': from } });
}

const refusals = (count: number) => Array(count).fill(401);
const counted = () => portal.query("SELECT FROM rate_limit WHERE key LIKE 'client-secret:%'");

describe.each(kindsWithSecret)('Wrong secrets of a client ($name)', (kind) => {
  const attempt = (one: Omit<Attempt, 'kind'>) => attemptBy({ kind, ...one });

  /** The statuses of consecutive attempts, at the two nodes in turn. */
  async function statuses(count: number, one: Omit<Attempt, 'kind'>): Promise<number[]> {
    const given: number[] = [];
    for (let index = 0; index < count; index += 1) given.push((await attempt({ ...one, node: index % 2 })).status);
    return given;
  }

  /** Each kind uses other addresses. */
  const address = (last: number) => `192.0.${kindsWithSecret.indexOf(kind) + 2}.${last}`;

  it('C-02 are limited to 50 a minute from one address over both nodes; then the right secret is refused, too', async () => {
    const from = address(1);
    expect(await statuses(50, { from })).toEqual(refusals(50));
    for (const node of [0, 1]) {
      const answer = await attempt({ from, node });
      expect([answer.status, answer.json().error]).toEqual([429, 'temporarily_unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
      expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      expect((await attempt({ from, node, secret: sharedSecret })).status).toBe(429);
      expect((await attempt({ from, node, path: 'introspect' })).status).toBe(429);
    }
  });

  /** What does not depend on where the secret is: tried with each kind, but not all of it with one. */
  const inTurn = itInTurn(kindsWithSecret.indexOf(kind));

  inTurn('C-02 lock neither the client at another address nor another client at this one', async () => {
    const from = address(2);
    expect(await statuses(50, { from })).toEqual(refusals(50));
    expect((await attempt({ from, secret: sharedSecret })).status).toBe(429);
    for (const node of [0, 1]) {
      expect((await attempt({ from: address(3), node, secret: sharedSecret })).status).toBe(200);
      expect((await attempt({ from, node, clientId: mixed.clientId, secret: sharedSecret })).status).toBe(200);
    }
  });

  inTurn('C-02 do not lock a client that authenticates with a key from the same address', async () => {
    const from = address(4);
    expect(await statuses(50, { from, clientId: mixed.clientId })).toEqual(refusals(50));
    expect((await attempt({ from, clientId: mixed.clientId, secret: sharedSecret })).status).toBe(429);
    const assertion = await clientAssertion({
      clientId: mixed.clientId,
      audience: `${portal.issuer}/connect/token`,
      key,
    });
    const form = { client_assertion_type: assertionType, client_assertion: assertion };
    const answer = await new Agent(portal.issuer).postForm(
      '/connect/token',
      { grant_type: 'client_credentials', scope: 'system/*.rs', ...form },
      { headers: { 'x-forwarded-for': from } },
    );
    expect(answer.status).toBe(200);
  });

  inTurn('C-01 C-02 are limited alike for a client that does not exist or has no secret', async () => {
    const comparable = (answer: Answer) => {
      const { status, text, headers } = withoutReference(answer);
      const { date: _, 'x-correlation-id': __, 'retry-after': ___, ...rest } = headers;
      return { status, text, rest };
    };
    const from = address(5);
    const answers: Answer[] = [];
    for (const clientId of [backendService.clientId, 'unknown', keyed.clientId]) {
      expect(await statuses(50, { from, clientId })).toEqual(refusals(50));
      answers.push(await attempt({ from, clientId }));
    }
    const [known, ...others] = answers.map(comparable);
    expect(known?.status).toBe(429);
    for (const other of others) expect(other).toEqual(known);
  });

  inTurn('C-02 are limited also when many are sent at once', async () => {
    const from = address(6);
    await attempt({ from });
    await attempt({ from, node: 1 });
    const burst = Array.from({ length: 120 }, (_, index) => attempt({ from, node: index % 2 }));
    const given = (await Promise.all(burst)).map(({ status }) => status);
    expect(given.filter((status) => status === 401)).toHaveLength(48);
    expect(given.filter((status) => status === 429)).toHaveLength(72);
  });

  inTurn('C-02 are still counted after the right secret was used', async () => {
    const from = address(7);
    expect(await statuses(49, { from })).toEqual(refusals(49));
    for (let round = 0; round < 4; round += 1) {
      expect((await attempt({ from, node: round % 2, secret: sharedSecret })).status).toBe(200);
    }
    expect(await statuses(2, { from })).toEqual([401, 429]);
  });

  inTurn('C-02 are not counted for the right secret', async () => {
    const before = (await counted()).length;
    expect((await attempt({ from: address(8), secret: sharedSecret })).status).toBe(200);
    expect(await counted()).toHaveLength(before);
  });
});

/**
 * The expiry of a secret, by the name of the kind. It takes seconds, so that those of all kinds begin with the first
 * one.
 */
const untilExpired = new Map<string, () => Promise<void>>();
let expiries: Map<string, Promise<void>> | undefined;

describe.each(kindsWithSecret)('The secret of a client ($name)', (kind) => {
  const attempt = (one: Omit<Attempt, 'kind'>) => attemptBy({ kind, ...one });
  const named = (what: string) => kind.client(what).clientId;

  /** On both nodes, within a second. */
  const expectEverywhere = (status: number, one: Omit<Attempt, 'node' | 'kind'>) =>
    eventually(async () => {
      for (const node of [0, 1]) expect((await attempt({ ...one, node })).status).toBe(status);
    });

  async function admin(): Promise<Agent> {
    const browser = new Agent(portal.issuer);
    const { email: username, password } = people.admin;
    await browser.post('/api/session/login', { username, password });
    await untilFhirServerIsAvailable(browser);
    return browser;
  }

  /** A service with two secrets, and a function that changes it. */
  async function serviceOf(clientId: string) {
    const browser = await admin();
    const secrets = [sharedSecret, otherSecret].map((secret) => ({
      secretType: 'SharedSecret',
      secret,
      description: '',
    }));
    const body = { ...backendService, clientId, clientName: clientId, clientSecrets: secrets };
    const created = await browser.post('/api/admin/client', body);
    expect([created.status, created.status < 300 ? '' : created.text]).toEqual([created.status, '']);
    const path = `/api/admin/client/${created.json().id}`;
    return {
      async change(edit: (stored: { clientSecrets: unknown[] }) => object) {
        const stored = (await browser.get(path)).json<{ clientSecrets: unknown[] }>();
        const answer = await browser.send(path, { method: 'PUT', body: { ...stored, ...edit(stored) } });
        expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([answer.status, '']);
      },
    };
  }

  it('C-11 is refused on all nodes within a second after it was removed, and the other secrets are not', async () => {
    const clientId = named('loses-a-secret');
    const service = await serviceOf(clientId);
    await expectEverywhere(200, { clientId, from: '192.0.2.20', secret: sharedSecret });
    await service.change(({ clientSecrets }) => ({ clientSecrets: clientSecrets.slice(1) }));
    await expectEverywhere(401, { clientId, from: '192.0.2.20', secret: sharedSecret });
    await expectEverywhere(200, { clientId, from: '192.0.2.20', secret: otherSecret });
  });

  untilExpired.set(kind.name, async () => {
    const clientId = named('has-a-brief-secret');
    const service = await serviceOf(clientId);
    await expectEverywhere(200, { clientId, from: '192.0.2.21', secret: sharedSecret });
    const expires = new Date(Date.now() + 5_000);
    await service.change(({ clientSecrets: [first, ...others] }) => ({
      clientSecrets: [{ ...(first as object), expires: expires.toISOString() }, ...others],
    }));
    for (const node of [0, 1]) {
      const given = async () => (await attempt({ clientId, from: '192.0.2.21', secret: sharedSecret, node })).status;
      await until(async () => (await given()) === 401);
      expect(Date.now()).toBeGreaterThanOrEqual(expires.getTime());
    }
    await expectEverywhere(200, { clientId, from: '192.0.2.21', secret: otherSecret });
  });

  it('C-11 is refused on all nodes from the moment it expires', async () => {
    expiries ??= new Map([...untilExpired].map(([name, check]) => [name, check()]));
    // The failure of another kind is that of its own test.
    for (const expiry of expiries.values()) expiry.catch(() => undefined);
    await expiries.get(kind.name);
  });

  it('C-11 is refused on all nodes within a second after its client was disabled, and accepted when it is enabled again', async () => {
    const clientId = named('is-disabled');
    const service = await serviceOf(clientId);
    await expectEverywhere(200, { clientId, from: '192.0.2.22', secret: sharedSecret });
    await service.change(() => ({ enabled: false }));
    await expectEverywhere(401, { clientId, from: '192.0.2.22', secret: sharedSecret });
    await service.change(() => ({ enabled: true }));
    await expectEverywhere(200, { clientId, from: '192.0.2.22', secret: sharedSecret });
  });
});
