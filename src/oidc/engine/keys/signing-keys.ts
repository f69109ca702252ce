import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { message } from '../../../contract/messages/message.js';
import { jwtGraceSeconds } from '../../../contract/rules/lifetime.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Config, type SigningAlgorithm } from '../../../platform/config/config.js';
import { accessTokenAlgorithms, algorithmsInUse } from '../../../platform/config/signing-algorithms.js';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { Notifications } from '../../../platform/database/notifications.js';
import { Problem } from '../../../platform/errors.js';
import { log } from '../../../platform/logging/log.js';

/** State of a key in its lifecycle, by the database's clock. */
type KeyState = 'published' | 'signing' | 'retired';

export interface SigningKey {
  kid: string;
  alg: string;
  state: KeyState;
  signsFrom: Date;
  retiresAt: Date | null;
  removedAt: Date | null;
}

/** Keys with which a node signs and verifies until `changesInMs` have passed. */
export interface KeySet {
  /** Private keys; of each algorithm the signing key comes first. */
  keys: JWK[];
  changesInMs: number;
}

interface Row {
  kid: string;
  alg: string;
  sealed: Buffer;
  state: KeyState | 'gone';
  isDue: boolean;
  signsFrom: Date;
  retiresAt: Date | null;
  removedAt: Date | null;
  keepSeconds: number;
  changesInMs: number | null;
}

/** Channel on which all nodes are notified of changed keys. */
export const keysChanged = 'gatehouse_keys';
/** An otherwise unused number: only one of several nodes creates or replaces keys at a time. */
const keysLock = 4_712_053;
const day = 86_400;

/** Not `now()`, which is the start of a transaction that may have waited for another node's. */
const select = `
  WITH dated AS (
    SELECT *, clock_timestamp() AS at, retires_at + make_interval(secs => keep_seconds) AS removed_at FROM signing_key)
  SELECT kid, alg, sealed, signs_from AS "signsFrom", retires_at AS "retiresAt", removed_at AS "removedAt",
         keep_seconds AS "keepSeconds",
         CASE WHEN removed_at <= at THEN 'gone' WHEN retires_at <= at THEN 'retired'
              WHEN signs_from > at THEN 'published' ELSE 'signing' END AS state,
         retires_at IS NULL AND signs_from <= at - make_interval(days => $1) AND alg = ANY ($2) AS "isDue",
         extract(epoch FROM least(CASE WHEN signs_from > at THEN signs_from END,
           CASE WHEN retires_at > at THEN retires_at END, CASE WHEN removed_at > at THEN removed_at END) - at)::float8 * 1000
           AS "changesInMs"
    FROM dated ORDER BY signs_from DESC, kid`;

/**
 * The private keys that sign tokens, sealed in the database and the same on all nodes. Losing the master key makes them
 * unreadable, and the start fails: there is no fallback key.
 *
 * Lifecycle. A key is *published* before it signs, for longer than the published set without it may be cached; it
 * *signs* until its successor does; *retired*, it stays published until everything it signed has expired; then it is
 * removed. The three dates are columns of its row, so that every node switches at the same moment and a restart changes
 * nothing. The very first key of an algorithm signs at once: no verifier has cached a set yet.
 */
@Injectable()
export class SigningKeys {
  private readonly algorithms: SigningAlgorithm[];
  /** Minimum retention of the keys that sign access tokens, in seconds, as known to this node. */
  private keptSeconds = 0;

  constructor(
    private readonly database: Database,
    private readonly secrets: Secrets,
    private readonly notifications: Notifications,
    private readonly audit: Audit,
    private readonly config: Config,
  ) {
    this.algorithms = algorithmsInUse(config.keys);
  }

  /**
   * The keys to sign and verify with now. Creates missing keys, replaces keys whose signing time is over, and removes
   * expired ones.
   */
  async load(): Promise<KeySet> {
    let rows = await this.read();
    if (this.missing(rows).length > 0) {
      await this.underLock(() => this.createMissing());
      rows = await this.read();
    } else if (rows.some(({ state, isDue }) => isDue || state === 'gone')) {
      await this.underLock(() => this.tidyUp());
      rows = await this.read();
    }
    const live = rows.filter(({ state }) => state !== 'gone');
    const ofTokens: string[] = accessTokenAlgorithms(this.config.keys);
    const forTokens = live.filter(({ alg, state }) => state !== 'retired' && ofTokens.includes(alg));
    this.keptSeconds = Math.min(...forTokens.map(({ keepSeconds }) => keepSeconds));
    const inOrder = [...live].sort((a, b) => Number(b.state === 'signing') - Number(a.state === 'signing'));
    return {
      keys: inOrder.map((row) => this.open(row)),
      changesInMs: Math.min(...live.map(({ changesInMs }) => changesInMs ?? Number.POSITIVE_INFINITY)),
    };
  }

  /** The keys for the operator, without removed ones. */
  async list(): Promise<SigningKey[]> {
    const rows = await this.read();
    return rows.flatMap(({ kid, alg, state, signsFrom, retiresAt, removedAt }) =>
      state === 'gone' ? [] : [{ kid, alg, state, signsFrom, retiresAt, removedAt }],
    );
  }

  /**
   * Creates a new key for each algorithm, which signs after the announcement time; an algorithm with a waiting key
   * stays unchanged. With `immediately` the new key signs at once: verifiers that have cached the published keys must
   * reload them when they see its id.
   */
  async rotate({ immediately = false } = {}): Promise<void> {
    await this.underLock(async () => {
      await this.replaceAll(this.algorithms, immediately ? 0 : this.config.keys.announceSeconds);
      await this.notifications.send(keysChanged);
    });
  }

  /** Removes a leaked key: nothing that it signed is accepted any more. Refused while it signs or is about to. */
  async remove(kid: string): Promise<void> {
    await this.underLock(async () => {
      const key = (await this.read()).find((row) => row.kid === kid && row.state !== 'gone');
      if (!key) throw new Problem('not-found', message('signing-key-unknown', { kid }));
      if (key.state !== 'retired') throw new Problem('conflict', message('signing-key-in-use'));
      await this.database.query('DELETE FROM signing_key WHERE kid = $1', [kid]);
      await this.audit.record({ type: 'keys.removed', outcome: 'success', subject: kid, detail: { alg: key.alg } });
      await this.notifications.send(keysChanged);
    });
  }

  /** True if the keys stay published until an access token that is signed now with this lifetime has expired. */
  areKeptFor(lifetimeSeconds: number): boolean {
    return lifetimeSeconds + jwtGraceSeconds <= this.keptSeconds;
  }

  /** Extends the retention of the keys for this lifetime. */
  async keepFor(lifetimeSeconds: number): Promise<void> {
    const seconds = lifetimeSeconds + jwtGraceSeconds;
    await this.database.queryOutsideTransaction(
      `UPDATE signing_key SET keep_seconds = $1 WHERE alg = ANY ($2) AND keep_seconds < $1
          AND (retires_at IS NULL OR retires_at > clock_timestamp() - interval '1 minute')`,
      [seconds, accessTokenAlgorithms(this.config.keys)],
    );
    this.keptSeconds = seconds;
  }

  private async read(): Promise<Row[]> {
    const { rows } = await this.database.query<Row & { [column: string]: unknown }>(select, [
      this.config.keys.rotationDays,
      this.algorithms,
    ]);
    return rows;
  }

  /** Runs on one node at a time; the others find its result. */
  private underLock(work: () => Promise<void>): Promise<void> {
    return this.database.transaction(async () => {
      await this.database.query('SELECT pg_advisory_xact_lock($1)', [keysLock]);
      await work();
    });
  }

  private missing(rows: Row[]): SigningAlgorithm[] {
    return this.algorithms.filter((alg) => !rows.some((row) => row.alg === alg && row.state === 'signing'));
  }

  private async createMissing(): Promise<void> {
    for (const alg of this.missing(await this.read())) await this.create(alg, 0);
    await this.notifications.send(keysChanged);
  }

  private async tidyUp(): Promise<void> {
    const rows = await this.read();
    const gone = rows.flatMap(({ kid, state }) => (state === 'gone' ? [kid] : []));
    await this.database.query('DELETE FROM signing_key WHERE kid = ANY ($1)', [gone]);
    const due = this.algorithms.filter((alg) => rows.some((row) => row.alg === alg && row.isDue));
    if (due.length > 0) await this.replaceAll(due, this.config.keys.announceSeconds);
    if (gone.length + due.length > 0) await this.notifications.send(keysChanged);
  }

  private async replaceAll(algorithms: SigningAlgorithm[], waitSeconds: number): Promise<void> {
    for (const alg of algorithms) await this.replace(alg, waitSeconds);
    // Retires keys of algorithms that are no longer configured.
    await this.retire('alg <> ALL ($2)', [this.algorithms], waitSeconds);
  }

  private async replace(alg: SigningAlgorithm, waitSeconds: number): Promise<void> {
    const waiting = (await this.read()).find((row) => row.alg === alg && row.state === 'published');
    if (waiting && waitSeconds > 0) return;
    const kid = waiting?.kid ?? (await this.create(alg, waitSeconds));
    if (waiting) {
      await this.database.query('UPDATE signing_key SET signs_from = clock_timestamp() WHERE kid = $1', [kid]);
    }
    await this.retire('alg = $2 AND kid <> $3', [alg, kid], waitSeconds);
    await this.audit.record({ type: 'keys.replaced', outcome: 'success', subject: kid, detail: { alg, waitSeconds } });
    log.info({ alg, kid, waitSeconds }, 'signing key published');
  }

  private async retire(which: string, parameters: unknown[], waitSeconds: number): Promise<void> {
    await this.database.query(
      `UPDATE signing_key SET retires_at = clock_timestamp() + make_interval(secs => $1)
        WHERE ${which} AND (retires_at IS NULL OR retires_at > clock_timestamp() + make_interval(secs => $1))`,
      [waitSeconds, ...parameters],
    );
  }

  private open({ kid, sealed }: Row): JWK {
    try {
      return JSON.parse(this.secrets.open('signing-keys', sealed, kid));
    } catch (cause) {
      throw new Error('The signing keys in the database were sealed with another master key.', { cause });
    }
  }

  private async create(alg: SigningAlgorithm, waitSeconds: number): Promise<string> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const kid = randomBytes(12).toString('base64url');
    const jwk: JWK = { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' };
    const sealed = this.secrets.seal('signing-keys', JSON.stringify(jwk), kid);
    // Clients send an id_token as a hint for as long as its session lasts.
    const keepSeconds = this.config.account.session.rememberedDays * day;
    await this.database.query(
      `INSERT INTO signing_key (kid, alg, sealed, keep_seconds, created_at, signs_from)
       VALUES ($1, $2, $3, $4, clock_timestamp(), clock_timestamp() + make_interval(secs => $5))`,
      [kid, alg, sealed, keepSeconds, waitSeconds],
    );
    return kid;
  }
}
