import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type {
  ClientRotation,
  ClientRotations,
  RotatedSecret,
  SecretRotation,
} from '../../contract/clients/secret-rotation.js';
import { Database } from '../../platform/database/database.js';
import type { Client } from '../domain/client.js';
import { SecretRotations, type StoredRotation } from '../domain/secret-rotation.js';

interface SecretRow {
  id: string;
  description: string | null;
  expires: string | null;
  lastUsed: string | null;
}

interface Row {
  startedAt: Date;
  storedAt: Date | null;
  old: SecretRow;
  new: SecretRow;
  [column: string]: unknown;
}

const listedAtOnce = 20;
const facts = (secret: string) => `
  json_build_object('id', ${secret}.id, 'description', ${secret}.description, 'expires', ${secret}.expires_at,
    'lastUsed', ${secret}.last_used_at)`;

@Injectable()
export class PostgresSecretRotations extends SecretRotations {
  constructor(private readonly database: Database) {
    super();
  }

  override async findByClient({ id }: Client): Promise<StoredRotation | undefined> {
    const { rows } = await this.database.query<StoredRotation & { [column: string]: unknown }>(
      `SELECT old_secret AS "oldSecret", new_secret AS "newSecret", old_expires_at AS "oldExpiresAt"
         FROM secret_rotation WHERE client = $1`,
      [id],
    );
    return rows[0];
  }

  override async add({ id }: Client, { oldSecret, newSecret, oldExpiresAt }: StoredRotation): Promise<void> {
    await this.database.query(
      'INSERT INTO secret_rotation (client, old_secret, new_secret, old_expires_at) VALUES ($1, $2, $3, $4)',
      [id, oldSecret, newSecret, oldExpiresAt],
    );
  }

  override async markStored({ id }: Client, stored: boolean): Promise<void> {
    await this.database.query(
      'UPDATE secret_rotation SET stored_at = CASE WHEN $2::boolean THEN coalesce(stored_at, now()) END WHERE client = $1',
      [id, stored],
    );
  }

  override async remove({ id }: Client): Promise<void> {
    await this.database.query('DELETE FROM secret_rotation WHERE client = $1', [id]);
  }

  override async view(clientRow: string): Promise<SecretRotation | null> {
    // PostgreSQL answers a text that is not a uuid with an error instead of with nothing.
    if (!isUUID(clientRow, 'all')) return null;
    const { rows } = await this.database.query<Row>(
      `SELECT started_at AS "startedAt", stored_at AS "storedAt", ${facts('old')} AS old, ${facts('new')} AS new
         FROM secret_rotation JOIN client_secret old ON old.id = old_secret JOIN client_secret new ON new.id = new_secret
        WHERE secret_rotation.client = $1`,
      [clientRow],
    );
    const [row] = rows;
    if (!row) return null;
    return {
      oldSecret: secret(row.old),
      newSecret: secret(row.new),
      startedAt: row.startedAt.toISOString(),
      storedAt: row.storedAt?.toISOString() ?? null,
    };
  }

  override async list(): Promise<ClientRotations> {
    const { rows } = await this.database.query<ClientRotation & { [column: string]: unknown }>(
      `SELECT client.id, coalesce(nullif(client_name, ''), client_id) AS name, last_used_at IS NOT NULL AS "isSeen"
         FROM secret_rotation JOIN client ON client.id = client JOIN client_secret new ON new.id = new_secret
        WHERE NOT EXISTS (SELECT FROM client_deletion deletion WHERE deletion.client = client.id)
        ORDER BY started_at, client.id LIMIT $1`,
      [listedAtOnce + 1],
    );
    return { rotations: rows.slice(0, listedAtOnce), hasMore: rows.length > listedAtOnce };
  }
}

function secret({ id, description, expires, lastUsed }: SecretRow): RotatedSecret {
  const iso = (time: string | null) => (time === null ? null : new Date(time).toISOString());
  return { id, description, expires: iso(expires), lastUsed: iso(lastUsed) };
}
