import type { EndCode } from '../../contract/activity/end-causes.js';

/** The end of an access, and the days for which it is kept: as long as launches are. */
export interface End {
  by: EndCode;
  keepDays: number;
}

/**
 * Models whose end is told to those that present them afterwards. A code is found by its launch, too, once that is
 * written.
 */
const told = "('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken', 'ClientCredentials')";

/**
 * A part of a statement that keeps what is needed to tell why a grant or token has ended, of the rows of `gone` that
 * were alive: hashes, the launch, and the cause. `cause` and `days` are placeholders.
 */
export function keptEnds(gone: string, cause: string, days: string): string {
  return `INSERT INTO ended_access (model, id_hash, grant_id, client_id, launch_id, audience, cause, ended_at, token_expires_at, expires_at)
    SELECT model, id_hash, grant_id, client_id, payload ->> 'launchId', payload ->> 'aud', ${cause}, clock_timestamp(),
           expires_at, now() + make_interval(days => ${days})
      FROM ${gone} WHERE model IN ${told} AND expires_at > now() AND ${days} > 0
    ON CONFLICT DO NOTHING`;
}

/**
 * The same for rows that have expired and are swept: grants of launches, and refresh tokens that no other has replaced.
 * Other tokens are too many to be kept, and those that describe themselves say when they expired.
 */
export function keptExpiries(gone: string, days: string): string {
  return `INSERT INTO ended_access (model, id_hash, grant_id, client_id, launch_id, cause, ended_at, token_expires_at, expires_at)
    SELECT model, id_hash, grant_id, client_id, payload ->> 'launchId', 'ended-by-expiry', expires_at, expires_at,
           now() + make_interval(days => ${days})
      FROM ${gone} WHERE ${days} > 0 AND (model = 'Grant' AND payload ? 'launchId' OR model = 'RefreshToken' AND consumed_at IS NULL)
    ON CONFLICT DO NOTHING`;
}
