import type { Answer } from './agent.js';
import type { TestConnection } from './database.js';
import { DatabaseDoor } from './database-proxy.js';
import { until } from './until.js';

/**
 * Connections end before the statement is executed, or when it was and the node does not know. Or the server ends the statement
 * and the connection stays.
 */
export type Moment = 'before' | 'after' | 'ended';

/** PostgreSQL's `query_canceled`, such as by `statement_timeout`. */
const canceled = '57014';

/** One try: the same request as often as it is sent, on whichever node. */
export interface Attempt {
  send(node: number): Promise<Answer>;
  /** The first answer, whose request was cut off, and that of the client's retry. */
  check(first: Answer, again: Answer): Promise<void>;
}

/**
 * What the database sees when a node is killed: in the midst of a request all connections end, at a statement of one's
 * choice. So every place at which a request waits for the database can be tried, without a hook in the portal.
 */
export class Cuts {
  private plan: { left: number; moment: Moment } | undefined;
  private cutAt = '';
  private door: DatabaseDoor | undefined;

  /** For `reachDatabase` of a portal. */
  reach(database: TestConnection): Promise<TestConnection> {
    this.door = new DatabaseDoor(database, (sql, onAnswer) => {
      const { plan } = this;
      // What a node asks by itself now and then is not of the request.
      if (!plan || /^(LISTEN|SHOW|SELECT 1|WITH first_due )/.test(sql)) return undefined;
      plan.left -= 1;
      if (plan.left >= 0) return undefined;
      this.plan = undefined;
      this.cutAt = sql;
      if (plan.moment === 'ended') return canceled;
      if (plan.moment === 'before') this.door?.breakAll();
      else onAnswer(() => this.door?.breakAll());
      return undefined;
    });
    return this.door.open();
  }

  async close(): Promise<void> {
    await this.door?.shut();
  }

  /**
   * Says how many statements were tried before the request went through without being cut off, and how many of the
   * requests could not be made again, although no response had been sent. Only the statement by which all
   * is kept may leave one so.
   */
  async atEachStatement(
    moment: Moment,
    /** Whether the nodes have come to themselves after the cut before: till then they ask the database for more. */
    areListening: () => boolean,
    prepare: () => Promise<Attempt>,
  ): Promise<{ statements: number; refusedAgain: number }> {
    let refusedAgain = 0;
    for (let statements = 0; ; statements += 1) {
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
      const again = await persistently(() => send(1));
      const wasKept = moment === 'after' && /^COMMIT/.test(this.cutAt);
      if (first.status >= 400 && again.status >= 400 && !wasKept) refusedAgain += 1;
      await check(first, again);
    }
  }
}

/** As clients do that are told to come again. */
export async function persistently(send: () => Promise<Answer>): Promise<Answer> {
  let answer = await send();
  await until(async () => {
    if (answer.status !== 503) return true;
    answer = await send();
    return answer.status !== 503;
  });
  return answer;
}
