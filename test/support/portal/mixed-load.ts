import { setTimeout as sleep } from 'node:timers/promises';
import { SmartApp, type Tokens } from '../apps/smart-app.js';
import { Agent, type Answer } from '../http/agent.js';
import { Connections } from '../http/connections.js';
import { until } from '../until.js';
import { people } from '../users/people.js';

/** A grant as its app knows it: one request at a time uses its refresh token. */
interface Held {
  app: SmartApp;
  tokens: Tokens;
}

interface Portal {
  issuer: string;
  fhirBase: string;
}

/**
 * The users who sign in and are changed, in turn: one user with six sign-ins at a time has to wait (decision 0014), and
 * changes of one account wait for each other, for as long as the machine is slow.
 */
export const signers = Array.from({ length: 20 }, (_, number) => ({
  ...people.patient,
  email: `signer.${number}@example.org`,
}));

/** Uses of the portal wait in the load balancer and the nodes; beyond this number the load is not increased. */
const mostOpen = 100;

/** How often of a hundred times the portal is used in this way; the others are reads at the gateway. */
const shares = { signIn: 1, authorize: 4, change: 2, refresh: 20 };
/** Without a common divisor with a hundred: uses of one kind follow each other evenly and not at once. */
const spread = 37;

/**
 * Sign-ins, codes, refreshes, reads by the gateway and changes by an administrator, at a fixed rate. A request that is
 * not answered as it should be is a failure.
 */
export class MixedLoad {
  readonly failures: string[] = [];
  readonly answered = { signIns: 0, codes: 0, refreshes: 0, reads: 0, changes: 0 };
  /**
   * Authorizations that began again: a node was killed between the end of their code and the answer (RFC 6749 §4.1.2).
   */
  codesLost = 0;
  private readonly idle: Held[] = [];
  private readonly held: Held[] = [];
  private readonly browsers: Agent[] = [];
  private admin: Agent;
  private userIds: string[] = [];
  private open = 0;
  private readonly connections: Connections;
  private isOver = false;
  private running: Promise<void> | undefined;
  private began = 0;
  private before = 0;
  private kills = 0;

  private constructor(
    private readonly portal: Portal,
    private readonly client: { clientId: string },
  ) {
    this.connections = new Connections(Number(new URL(portal.issuer).port), mostOpen);
    this.admin = this.agent();
  }

  /** Signs in, and gets as many grants as are to be refreshed in turn. */
  static async prepare(portal: Portal, client: { clientId: string }, grants: number): Promise<MixedLoad> {
    const load = new MixedLoad(portal, client);
    load.admin = await load.signIn(people.admin);
    for (let count = 0; count < 4; count += 1) load.browsers.push(await load.signIn(people.patient));
    const found = await load.admin.get('/api/admin/user?searchTerm=signer.&pageSize=100');
    load.userIds = found.json<{ users: { id: string }[] }>().users.map(({ id }) => id);
    for (let count = 0; count < grants; count += 1) await load.authorize();
    if (load.failures.length > 0) throw new Error(load.failures.join('\n'));
    return load;
  }

  start(perSecond: number): void {
    this.began = performance.now();
    this.before = this.connections.requests;
    const pacing = async () => {
      for (let turn = 0; !this.isOver; turn += 1) {
        const due = this.began + (this.requests * 1000) / perSecond;
        if (due > performance.now()) await sleep(due - performance.now());
        while (this.open >= mostOpen && !this.isOver) await sleep(1);
        this.begin(turn);
      }
      await until(() => this.open === 0);
    };
    this.running = pacing();
  }

  /** A node is killed now: the answer to a code may be lost, and the code cannot be used again. */
  noteKill(): void {
    this.kills += 1;
  }

  /** Requests since the start of the load. */
  get requests(): number {
    return this.connections.requests - this.before;
  }

  /** Resolves when so many more requests are answered. */
  async passes(requests: number): Promise<void> {
    const before = this.requests;
    await until(() => this.requests >= before + requests || this.failures.length > 0, 300_000);
  }

  /** Ends the load. */
  async stop(): Promise<{ requests: number; perSecond: number }> {
    this.isOver = true;
    await this.running;
    const seconds = (performance.now() - this.began) / 1000;
    return { requests: this.requests, perSecond: this.requests / seconds };
  }

  /** Refreshes each grant once more; returns what was answered to those that are lost. */
  async lostGrants(): Promise<string[]> {
    const lost: string[] = [];
    for (const held of this.held) {
      const answer = await held.app.refresh(held.tokens.refresh_token ?? '', {}, this.agent());
      if (answer.status !== 200) lost.push(`${answer.status} ${answer.text}`);
    }
    await this.connections.close();
    return lost;
  }

  get grants(): number {
    return this.held.length;
  }

  private begin(turn: number): void {
    const work = this.workOf((turn * spread) % 100, turn);
    this.open += 1;
    work
      .catch((error: unknown) => this.failures.push(`${error}`))
      .finally(() => {
        this.open -= 1;
      });
  }

  private workOf(share: number, turn: number): Promise<unknown> {
    const { signIn, authorize, change, refresh } = shares;
    if (share < signIn) return this.signIn(signers[Math.floor(turn / 100) % signers.length] ?? people.patient);
    if (share < signIn + authorize) return this.authorize(turn);
    if (share < signIn + authorize + change) return this.change(turn);
    return share < signIn + authorize + change + refresh ? this.refresh() : this.read(turn);
  }

  private agent(): Agent {
    const { issuer } = this.portal;
    return new Agent(issuer, Number(new URL(issuer).port), this.connections.exchange);
  }

  private async signIn({ email, password }: { email: string; password: string }): Promise<Agent> {
    const agent = this.agent();
    const answer = await agent.post('/api/session/login', { username: email, password });
    if (this.isAnswered('sign-in', answer, 200)) this.answered.signIns += 1;
    return agent;
  }

  private async authorize(turn = this.held.length): Promise<void> {
    const browser = this.browsers[turn % this.browsers.length];
    const app = new SmartApp(this.portal, { client: this.client }, browser);
    const { kills } = this;
    const landed = await app.complete(people.patient);
    const answer = await app.exchange(landed.searchParams.get('code') ?? '', {}, this.agent());
    if (answer.status === 400 && answer.text.includes('invalid_grant') && this.kills > kills) {
      this.codesLost += 1;
      return this.authorize(turn);
    }
    if (!this.isAnswered('code', answer, 200)) return;
    this.answered.codes += 1;
    const held = { app, tokens: answer.json<Tokens>() };
    this.held.push(held);
    this.idle.push(held);
  }

  private async refresh(): Promise<void> {
    const held = this.idle.shift();
    if (!held) return this.read(0);
    const answer = await held.app.refresh(held.tokens.refresh_token ?? '', {}, this.agent());
    if (!this.isAnswered('refresh', answer, 200)) return;
    this.answered.refreshes += 1;
    held.tokens = answer.json<Tokens>();
    this.idle.push(held);
  }

  private async read(turn: number): Promise<void> {
    const held = this.held[turn % this.held.length];
    const authorization = `Bearer ${held?.tokens.access_token}`;
    const answer = await this.agent().get('/fhir/Patient/1', { headers: { authorization } });
    if (this.isAnswered('read', answer, 200)) this.answered.reads += 1;
  }

  private async change(turn: number): Promise<void> {
    const { fullName, userType, claims } = people.patient;
    const body = { fullName: `${fullName} ${turn}`, userType, claims };
    const id = this.userIds[Math.floor(turn / 50) % this.userIds.length];
    const answer = await this.admin.send(`/api/admin/user/${id}`, { method: 'PUT', body });
    if (this.isAnswered('change', answer, 200, 204)) this.answered.changes += 1;
  }

  private isAnswered(what: string, { status, text }: Answer, ...expected: number[]): boolean {
    if (expected.includes(status)) return true;
    this.failures.push(`${what}: ${status} ${text.slice(0, 300)}`);
    return false;
  }
}
