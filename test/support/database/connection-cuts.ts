import type { Answer } from '../http/agent.js';
import { isLong } from '../runs.js';
import { until } from '../until.js';
import type { TestConnection } from './database.js';
import { DatabaseProxy } from './database-proxy.js';

/**
 * Connections end before the statement is executed, or after it was executed and before the node knows. Or the server
 * ends the statement, and the connection stays.
 */
export type CutMoment = 'before' | 'after' | 'ended';

/** PostgreSQL's `query_canceled`, which `statement_timeout` causes, too. */
const canceled = '57014';

/**
 * Statements that do not belong to a request: a node runs them at intervals (heartbeat, launches, jobs, sweeps, seals,
 * keys) and on each new connection. One that came between the COMMIT of a request and its answer would look like a
 * request that failed whole.
 */
const ofTheNode =
  /^\s*(LISTEN|SHOW|SELECT (1|set_config|system_identifier|pg_try_advisory_xact_lock)\b|WITH (first_due|dated) |INSERT INTO launch |DELETE FROM (rate_limit WHERE key IN|refresh_answer WHERE expires_at|audit_unsealed|oidc_record WHERE ctid))/;

/** A request that can be sent several times, to any node. */
export interface Attempt {
  send(node: number): Promise<Answer>;
  /** Checks the answer to the interrupted request and that to the client's retry. */
  check(first: Answer, again: Answer): Promise<void>;
}

/**
 * Simulates a killed node for the database: all connections of the nodes that reach it through this end during a
 * request, at a chosen statement. So each statement of a request can be tried, without a hook in the portal.
 */
export class ConnectionCuts {
  private plan: { left: number; moment: CutMoment } | undefined;
  private cutAt = '';
  private proxy: DatabaseProxy | undefined;

  /** For `reachDatabase` of a portal. */
  reach(database: TestConnection): Promise<TestConnection> {
    this.proxy = new DatabaseProxy(database, (sql, onAnswer) => {
      const { plan } = this;
      if (!plan || ofTheNode.test(sql)) return undefined;
      plan.left -= 1;
      if (plan.left >= 0) return undefined;
      this.plan = undefined;
      this.cutAt = sql;
      if (plan.moment === 'ended') return canceled;
      if (plan.moment === 'before') this.proxy?.breakAll();
      else onAnswer(() => this.proxy?.breakAll());
      return undefined;
    });
    return this.proxy.open();
  }

  async close(): Promise<void> {
    await this.proxy?.shut();
  }

  /**
   * Returns the number of statements at which the request was interrupted, and how many of the requests could not be
   * repeated, although no response had been sent. Only the statement that commits may cause one. Usually only one
   * statement of `turns` is tried for the row of a table with this `number`: the other rows try the others.
   */
  async atEachStatement(
    moment: CutMoment,
    /** True if the nodes have recovered from the previous cut: until then they run further statements. */
    areListening: () => boolean,
    prepare: () => Promise<Attempt>,
    { number, turns } = { number: 0, turns: 1 },
  ): Promise<{ statements: number; refusedAgain: number }> {
    let refusedAgain = 0;
    const [begin, step] = isLong ? [0, 1] : [number % turns, turns];
    for (let statements = begin; ; statements += step) {
      const { send, check } = await prepare();
      await until(areListening);
      this.plan = { left: statements, moment };
      const first = await send(0);
      const wasCut = this.plan === undefined;
      this.plan = undefined;
      if (first.status >= 500 && !(first.status === 503 && Number(first.headers['retry-after']) > 0)) {
        throw new Error(`${moment} ${this.cutAt}: answered ${first.status} ${first.text}`);
      }
      if (first.status === 503 && (first.location ?? first.headers['set-cookie'])) {
        throw new Error(`${moment} ${this.cutAt}: 503 names what was rolled back`);
      }
      if (!wasCut) {
        if (first.status >= 400) throw new Error(`without a cut it was answered ${first.status}: ${first.text}`);
        return { statements, refusedAgain };
      }
      const again = await retryWhileUnavailable(() => send(1));
      const wasKept = moment === 'after' && /^COMMIT/.test(this.cutAt);
      if (first.status >= 400 && again.status >= 400 && !wasKept) refusedAgain += 1;
      await check(first, again);
    }
  }
}

/** Repeats a request that is answered with 503, as clients do. */
export async function retryWhileUnavailable(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send();
  await until(async () => {
    if (answer.status !== 503) return true;
    answer = await send();
    return answer.status !== 503;
  });
  return answer;
}
