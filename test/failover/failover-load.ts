import { setTimeout as sleep } from 'node:timers/promises';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { assertionType, type ClientKey, clientAssertion } from '../support/clients/assertions.js';
import { redirectUri } from '../support/clients/clients.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { people } from '../support/users/people.js';
import { Outcomes } from './outcomes.js';

interface Held {
  app: SmartApp;
  tokens: Tokens;
}

interface Target {
  issuer: string;
  fhirBase: string;
  /** The nodes behind the load balancer. */
  ports: number[];
  client: { clientId: string };
  service: { clientId: string; key: ClientKey };
}

const pauseMs = 60;
const mostGrants = 60;
/** The other nodes are told of a revocation; one that is not told asks the database after 1.5 seconds. */
const revokedWithinMs = 2_000;

/**
 * Codes, refreshes, reads, revocations and client assertions, each repeated while it is refused, as clients do. What an
 * app was promised must stay: tokens that were issued, and the end of what was revoked or used.
 */
export class FailoverLoad {
  readonly outcomes = new Outcomes();
  doubleSpends = 0;
  /** Codes that ended with a transaction whose answer was lost (RFC 6749 §4.1.2): the app begins again. */
  codesLost = 0;
  readonly done = { codes: 0, refreshes: 0, reads: 0, revocations: 0, assertions: 0, replays: 0 };
  private readonly held: Held[] = [];
  private readonly idle: Held[] = [];
  private readonly revoked: Held[] = [];
  private readonly spent: { app: SmartApp; code: string }[] = [];
  private readonly assertions: string[] = [];
  private browser: Agent;
  private isOver = false;
  private running: Promise<void>[] = [];

  constructor(private readonly target: Target) {
    this.browser = new Agent(target.issuer);
  }

  async start(): Promise<void> {
    const { email, password } = people.patient;
    const answer = await this.browser.post('/api/session/login', { username: email, password });
    if (answer.status !== 200) throw new Error(`the first sign-in answered ${answer.status}: ${answer.text}`);
    for (let count = 0; count < 8; count += 1) await this.authorize(count);
    const works: [string, (turn: number) => Promise<void>][] = [
      ['authorize', (turn) => this.authorize(turn)],
      ['refresh', (turn) => this.refresh(turn)],
      ['refresh', (turn) => this.refresh(turn)],
      ['read', (turn) => this.read(turn)],
      ['revoke', (turn) => this.revoke(turn)],
      ['assert', (turn) => this.assert(turn)],
    ];
    this.running = works.map(([name, work]) => this.onAndOn(name, work));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
  }

  get grants(): number {
    return this.held.length;
  }

  /** Uses everything once more; returns what was lost, came back or could be used twice. */
  async lostAtTheEnd(): Promise<string[]> {
    const lost: string[] = [];
    for (const { app, tokens } of this.held) {
      const answer = await app.refresh(tokens.refresh_token ?? '');
      if (answer.status !== 200) lost.push(`a grant: ${answer.status} ${answer.text}`);
    }
    for (const one of this.revoked) {
      const answer = await one.app.refresh(one.tokens.refresh_token ?? '');
      if (answer.status !== 400) lost.push(`the end of a grant: ${answer.status}`);
    }
    for (const { app, code } of this.spent) {
      if ((await app.exchange(code)).status !== 400) lost.push('the end of a code');
    }
    for (const assertion of this.assertions) {
      if ((await this.prove(assertion)).status !== 401) lost.push('the use of an assertion');
    }
    return lost;
  }

  private onAndOn(name: string, work: (turn: number) => Promise<void>): Promise<void> {
    const run = async () => {
      for (let turn = 0; !this.isOver; turn += 1) {
        await work(turn);
        await sleep(pauseMs);
      }
    };
    return run().catch((error: unknown) => this.outcomes.note(`${name}: ${(error as Error).stack}`));
  }

  private insist(what: string, send: () => Promise<Answer>, ...expected: number[]): Promise<Answer | undefined> {
    return this.outcomes.insist(what, send, expected, () => this.isOver);
  }

  /** An agent of the next node, past the load balancer. */
  private at(turn: number): Agent {
    const { issuer, ports } = this.target;
    return new Agent(issuer, ports[turn % ports.length]);
  }

  /** A code is asked for and exchanged. */
  private async authorize(turn: number): Promise<void> {
    const { issuer, fhirBase, client } = this.target;
    const app = new SmartApp({ issuer, fhirBase }, { client }, this.browser);
    let answer = await this.insist('authorization', () => app.authorize(), 302, 303);
    for (let hop = 0; answer?.location?.startsWith(`${issuer}/`) && hop < 4; hop += 1) {
      const { location } = answer;
      if (!location.startsWith(`${issuer}/connect/`)) break;
      answer = await this.insist('authorization', () => this.browser.get(location), 302, 303);
    }
    if (!answer) return;
    const code = answer.location?.startsWith(redirectUri) && new URL(answer.location).searchParams.get('code');
    // The browser is signed in: another page is a lost session.
    if (!code) return this.outcomes.note(`authorization led to ${answer.location}`);
    if (turn % 3 === 2) return this.exchangeTwice(app, code);
    const exchanged = await this.insist('code', () => app.exchange(code), 200, 400);
    if (!exchanged) return;
    if (exchanged.status === 400) {
      this.codesLost += 1;
      return;
    }
    this.done.codes += 1;
    const held = { app, tokens: exchanged.json<Tokens>() };
    if (turn % 4 === 3) return this.replay(held, code);
    if (this.held.length >= mostGrants) return this.end(held);
    this.held.push(held);
    this.idle.push(held);
  }

  /** The second request may end the grant, as that of a thief does; its refresh token is not used. */
  private async exchangeTwice(app: SmartApp, code: string): Promise<void> {
    const both = await Promise.all([0, 1].map((node) => app.exchange(code, {}, this.at(node))));
    const given = both.filter((one) => this.outcomes.judge('code, twice', one, 200, 400)?.status === 200);
    if (given.length > 1) this.doubleSpends += 1;
    this.done.codes += given.length;
    if (given.length > 0) this.spent.push({ app, code });
  }

  /** The code of a grant is used, also at another node and after a failover. */
  private async replay({ app }: Held, code: string): Promise<void> {
    const answer = await this.insist('code, again', () => app.exchange(code), 400, 200);
    if (answer?.status === 200) this.doubleSpends += 1;
    if (answer) this.done.replays += 1;
    if (this.spent.length < 200) this.spent.push({ app, code });
  }

  /** Every third refresh is sent to both nodes at once: one of them, or the same answer twice. */
  private async refresh(turn: number): Promise<void> {
    const held = this.idle.shift();
    if (!held) return;
    const token = held.tokens.refresh_token ?? '';
    let answer: Answer | undefined;
    if (turn % 3 === 2) {
      const both = await Promise.all([0, 1].map((node) => held.app.refresh(token, {}, this.at(node))));
      const given = both.filter((one) => this.outcomes.judge('refresh, twice', one, 200) !== undefined);
      const next = new Set(given.map((one) => one.json<Tokens>().refresh_token));
      if (next.size > 1) this.doubleSpends += 1;
      answer = given[0];
    }
    answer ??= await this.insist('refresh', () => held.app.refresh(token), 200);
    if (answer) {
      this.done.refreshes += 1;
      held.tokens = answer.json<Tokens>();
    }
    this.idle.push(held);
  }

  private async read(turn: number): Promise<void> {
    const held = this.held[turn % this.held.length] as Held;
    const { access_token } = held.tokens;
    const answer = await this.insist('read', () => this.get(access_token, this.at(turn)), 200, 401);
    if (answer?.status === 200) this.done.reads += 1;
    // While the read was repeated, the grant may have been revoked.
    else if (answer && this.held.includes(held)) this.outcomes.note('read with a token that is valid: 401');
    // A grant that was revoked is refused by each node, also while servers change roles.
    const ended = this.revoked.at(-1 - (turn % 5));
    if (ended)
      await this.insist('read with a revoked token', () => this.get(ended.tokens.access_token, this.at(turn)), 401);
  }

  private get(token: string, agent: Agent): Promise<Answer> {
    return agent.get('/fhir/Patient/1', { headers: { authorization: `Bearer ${token}` } });
  }

  /** One of many grants is taken back; another one takes its place. */
  private async revoke(turn: number): Promise<void> {
    if (turn % 8 !== 7 || this.idle.length < 4) return;
    const held = this.idle.pop() as Held;
    this.held.splice(this.held.indexOf(held), 1);
    await this.end(held);
  }

  private async end(held: Held): Promise<void> {
    const answer = await this.insist('revocation', () => held.app.revoke(held.tokens.refresh_token ?? ''), 200);
    if (!answer) return;
    this.done.revocations += 1;
    const told = performance.now();
    for (const [node] of this.target.ports.entries()) {
      const read = () => this.get(held.tokens.access_token, this.at(node));
      while ((await this.insist('read after a revocation', read, 401, 200))?.status === 200)
        if (performance.now() - told > revokedWithinMs) return this.outcomes.note('read with a revoked token: 200');
    }
    this.revoked.push(held);
  }

  private async assert(turn: number): Promise<void> {
    const { issuer, service } = this.target;
    if (turn % 4 !== 0) return;
    const assertion = await clientAssertion({ ...service, audience: `${issuer}/connect/token` });
    const answer = this.outcomes.judge('assertion', await this.prove(assertion), 200);
    if (!answer) return;
    this.done.assertions += 1;
    this.assertions.push(assertion);
    const before = this.assertions.at(-3);
    if (before && (await this.insist('assertion, again', () => this.prove(before), 401, 200))?.status === 200)
      this.doubleSpends += 1;
  }

  private prove(assertion: string): Promise<Answer> {
    return new Agent(this.target.issuer).postForm('/connect/token', {
      grant_type: 'client_credentials',
      scope: 'system/*.rs',
      client_assertion_type: assertionType,
      client_assertion: assertion,
    });
  }
}
