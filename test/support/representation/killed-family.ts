import { retryWhileUnavailable } from '../database/connection-cuts.js';
import type { TestConnection } from '../database/database.js';
import { DatabaseProxy } from '../database/database-proxy.js';
import { Agent, type Answer } from '../http/agent.js';
import { until } from '../until.js';
import type { Person } from '../users/people.js';
import { type FamilyProcesses, startFamilyProcesses } from './family-processes.js';

/** Statements after which a killed node may leave something behind; those that only read change nothing. */
const changes = /\b(INSERT|UPDATE|DELETE|COMMIT)\b/;
/** Those that a node runs by itself. */
const ofTheNode =
  /^\s*(WITH (first_due|dated) |INSERT INTO launch |DELETE FROM (rate_limit WHERE key IN|refresh_answer|audit_unsealed|oidc_record WHERE ctid)|SELECT pg_try_advisory)|UPDATE representation_relationship SET due_at = \$2/;

/** A request that can be repeated. */
export interface KilledAttempt {
  send(user: (agent: Agent) => Agent): Promise<Answer>;
  /** Checks the answer to the retry at the other node; `was` is that of the killed one, if it was sent. */
  check(again: Answer, was: Answer | undefined): Promise<void>;
  /** Addresses that get one mail by it, whichever node sends it. */
  mails?: string[];
}

/** Two nodes, of which the first is killed (SIGKILL) at a statement; the other one lives on. */
export class KilledFamily {
  /** Statements that are left before the node is killed. */
  private left: number | undefined;
  private moment: 'before' | 'after' = 'before';
  private proxy: DatabaseProxy | undefined;
  private portalOrNone: FamilyProcesses | undefined;

  /** `nodeArguments`: of the first node. */
  async start(users: readonly Person[], nodeArguments: string[] = []): Promise<void> {
    const reach = (database: TestConnection) => {
      this.proxy = new DatabaseProxy(database, (sql, onAnswer) => this.hear(sql, onAnswer));
      return this.proxy.open();
    };
    this.portalOrNone = await startFamilyProcesses(reach, users, nodeArguments);
  }

  get portal(): FamilyProcesses {
    if (!this.portalOrNone) throw new Error('the portal has not been started');
    return this.portalOrNone;
  }

  async close(): Promise<void> {
    await this.portalOrNone?.close();
    await this.proxy?.shut();
  }

  async count(sql: string, ...parameters: unknown[]): Promise<number> {
    return (await this.portal.query(sql, parameters)).length;
  }

  /** Kills the node before or after its next statement but so many that changes something. */
  killAt(statement: number): void {
    this.moment = statement % 2 === 0 ? 'before' : 'after';
    this.left = statement;
  }

  /** True if the node was killed since; it is not killed any more. */
  wasKilled(): boolean {
    const was = this.left === undefined;
    this.left = undefined;
    return was;
  }

  /** Kills the node at each statement of an act, and repeats the act at the other node. */
  async atEachStatement(prepare: () => Promise<KilledAttempt>): Promise<void> {
    for (let statement = 0; ; statement += 1) {
      const { send, check, mails = [] } = await prepare();
      const mailsTo = (address: string) => this.portal.sink.received.filter(({ to }) => to.includes(address)).length;
      await this.allSent();
      const before = mails.map(mailsTo);
      this.killAt(statement);
      const first = await send((user) => this.atFirst(user)).catch(() => undefined);
      if (!this.wasKilled()) {
        expect([first?.status, first?.text]).toEqual([expect.any(Number), expect.any(String)]);
        expect(statement).toBeGreaterThan(2);
        return;
      }
      await this.portal.first.end('SIGKILL');
      const again = await retryWhileUnavailable(() => send((agent) => agent));
      await check(again, first);
      await this.allSent({ isKilled: true });
      expect([statement, mails.map(mailsTo)]).toEqual([statement, before.map((one) => one + 1)]);
      await this.portal.restart();
    }
  }

  private hear(sql: string, onAnswer: (then: () => void) => void): void {
    if (this.left === undefined || !changes.test(sql) || ofTheNode.test(sql)) return;
    this.left -= 1;
    if (this.left >= 0) return;
    this.left = undefined;
    const kill = () => {
      this.portal.first.signal('SIGKILL');
      this.proxy?.breakAll();
    };
    if (this.moment === 'before') kill();
    else onAnswer(kill);
  }

  /** The same user at the first node. */
  private atFirst(user: Agent): Agent {
    const other = new Agent(this.portal.issuer, this.portal.ports[0]);
    for (const [name, value] of user.cookies) other.cookies.set(name, value);
    return other;
  }

  /** Until no node has a mail to send; one that a killed node had taken is due again after its lease, or at once. */
  private async allSent({ isKilled = false } = {}): Promise<void> {
    await until(async () => {
      if (isKilled)
        await this.portal.query(
          "UPDATE job SET due_at = now() WHERE kind = 'mail' AND due_at > now() + interval '5 seconds'",
        );
      await this.portal.query("SELECT pg_notify('gatehouse_jobs', 'mail')");
      return (await this.count("SELECT FROM job WHERE kind = 'mail'")) === 0;
    });
  }
}
