import type { ClientBase } from 'pg';
import { log } from '../logging/log.js';
import { notThePrimary } from './read-only.js';

interface History {
  /** A database cluster: a primary and its standbys. */
  cluster: string;
  timeline: number;
}

const ask = `SELECT system_identifier AS cluster,
                    CASE WHEN pg_is_in_recovery() THEN NULL
                         ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline
               FROM pg_control_system()`;

/**
 * Recognizes an old primary. A promotion begins a new timeline with a higher number. A server of the same cluster with
 * a lower number than was seen before is one that should have been fenced: it does not have what was committed since,
 * such as that a token was revoked, and what it accepts will be lost.
 */
export class ServerHistory {
  private latest: History | undefined;
  private hasSaid = false;

  /** `onPromotion` is called when connections that were made before may lead to an old primary. */
  constructor(private readonly onPromotion: () => void) {}

  /** Throws if the server of this connection is an old primary. */
  async assertCurrentPrimary(client: ClientBase): Promise<void> {
    const found = await historyOf(client);
    const { latest } = this;
    if (!found) return;
    if (latest?.cluster === found.cluster) {
      if (found.timeline === latest.timeline) return;
      if (found.timeline < latest.timeline) throw this.refusal(found, latest);
    }
    this.latest = found;
    this.hasSaid = false;
    if (latest) this.onPromotion();
  }

  private refusal({ timeline }: History, latest: History): Error {
    const error = notThePrimary(
      `the PostgreSQL server at this address is an old primary: its timeline is ${timeline}, after ${latest.timeline}. If it was ` +
        'restored on purpose, restart the nodes',
    );
    if (!this.hasSaid) log.error({ err: error }, 'connection refused: old primary');
    this.hasSaid = true;
    return error;
  }
}

/** Undefined for a service that does not tell it. */
async function historyOf(client: ClientBase): Promise<History | undefined> {
  try {
    const { rows } = await client.query<{ cluster: string; timeline: number | null }>(ask);
    const { cluster, timeline } = rows[0] ?? {};
    return cluster === undefined || timeline == null ? undefined : { cluster, timeline };
  } catch (error) {
    // Only these mean that it may not be asked: undefined function, insufficient privilege, feature not supported,
    // wrong state.
    if (/^(42883|42501|0A000|55000)$/.test((error as { code?: string }).code ?? '')) return undefined;
    throw error;
  }
}
