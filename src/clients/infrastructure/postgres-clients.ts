import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { type FindOptionsWhere, In, type Repository } from 'typeorm';
import { type Message, message } from '../../contract/messages/message.js';
import type { PublicJwk } from '../../contract/rules/clients/jwk.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Problem } from '../../platform/errors.js';
import {
  Client,
  Clients,
  clientsChanged,
  type OwnedValue,
  type RemovedCredential,
  type RemovedValue,
} from '../domain/client.js';
import { clientSchema } from './client-schemas.js';

@Injectable()
export class PostgresClients extends Clients {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {
    super();
  }

  override async add(client: Client): Promise<void> {
    const { rowCount } = await this.database.query(
      'SELECT FROM client_deletion JOIN client ON client.id = client WHERE lower(client_id) = lower($1)',
      [client.clientId],
    );
    if (rowCount) throw idRefused(message('client-id-waits'));
    await this.save(client);
  }

  override async change(client: Client): Promise<void> {
    await this.save(client);
  }

  override async remove(client: Client): Promise<void> {
    await this.rows.delete({ id: client.id });
    await this.notifications.send(clientsChanged);
  }

  override async hide({ id, enabled }: Client): Promise<void> {
    await this.database.query(
      `WITH listed AS (DELETE FROM client_listing WHERE id = $1 RETURNING to_jsonb(client_listing) AS facts)
       INSERT INTO client_deletion (client, was_enabled, listed) SELECT $1, $2, facts FROM listed`,
      [id, enabled],
    );
  }

  override async unhide({ id }: Client): Promise<boolean> {
    const { rows } = await this.database.query<{ wasEnabled: boolean }>(
      `WITH hidden AS (DELETE FROM client_deletion WHERE client = $1 RETURNING was_enabled, listed),
       shown AS (INSERT INTO client_listing SELECT (jsonb_populate_record(NULL::client_listing, listed)).* FROM hidden)
       SELECT was_enabled AS "wasEnabled" FROM hidden`,
      [id],
    );
    // Tags may have been deleted meanwhile, and the client was disabled after its row was kept.
    await this.database.query(
      `UPDATE client_listing SET tags = ARRAY(SELECT tag FROM client_tag_link WHERE client = $1 ORDER BY tag),
              enabled = client.enabled FROM client WHERE client.id = client_listing.id AND client_listing.id = $1`,
      [id],
    );
    await this.notifications.send(clientsChanged);
    return rows[0]?.wasEnabled ?? false;
  }

  override async findForChange(id: string): Promise<Client | undefined> {
    const client = await this.findToEnd(id);
    // Asked once the lock is held: the administrator before may have deleted it.
    const isHidden =
      client && (await this.database.query('SELECT FROM client_deletion WHERE client = $1', [id])).rowCount;
    return isHidden ? undefined : client;
  }

  override async findToEnd(id: string): Promise<Client | undefined> {
    // PostgreSQL answers a text that is not a uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    await this.database.query('SELECT FROM client WHERE id = $1 FOR UPDATE', [id]);
    return this.findOne({ id });
  }

  override findByClientId(clientId: string): Promise<Client | undefined> {
    return this.findOne({ clientId });
  }

  override ofIds(ids: readonly string[]): Promise<Client[]> {
    return this.findAll({ id: In([...ids]) });
  }

  override async idsLike(length: number, texts: readonly string[]): Promise<{ clientId: string; enabled: boolean }[]> {
    const { rows } = await this.database.query<{ clientId: string; enabled: boolean }>(
      `SELECT client_id AS "clientId", enabled FROM client
        WHERE abs(length(client_id) - $1::int) <= greatest(1, $1::int / 3) OR lower(client_id) = ANY ($2)
        ORDER BY lower(client_id) = ANY ($2) DESC LIMIT 5000`,
      [length, texts.map((text) => text.toLowerCase())],
    );
    return rows;
  }

  override async idsOfName(name: string): Promise<string[]> {
    const { rows } = await this.database.query<{ clientId: string }>(
      'SELECT client_id AS "clientId" FROM client WHERE lower(client_name) = lower($1) ORDER BY client_id LIMIT 3',
      [name],
    );
    return rows.map((row) => row.clientId);
  }

  override async otherOwners(of: OwnedValue, clientId: string): Promise<string[]> {
    const [has, value] = ownership(of);
    const { rows } = await this.database.query<{ clientId: string }>(
      `SELECT client_id AS "clientId" FROM client WHERE client_id <> $1 AND ${has} ORDER BY client_id LIMIT 3`,
      [clientId, value],
    );
    return rows.map((row) => row.clientId);
  }

  override async removedCredential(clientId: string, of: RemovedValue): Promise<RemovedCredential | undefined> {
    const [column, value] = 'kid' in of ? ['kid', of.kid] : ['secret_hash', of.secretHash];
    const { rows } = await this.database.query<RemovedCredential>(
      `SELECT gone.description, gone.removed_at AS "removedAt"
         FROM removed_credential gone JOIN client ON client.id = gone.client
        WHERE client.client_id = $1 AND gone.${column} = $2 ORDER BY gone.removed_at DESC LIMIT 1`,
      [clientId, value],
    );
    return rows[0];
  }

  override async keysOfOthers(kid: string, clientId: string): Promise<{ clientId: string; jwk: PublicJwk }[]> {
    const { rows } = await this.database.query<{ clientId: string; jwk: PublicJwk }>(
      `SELECT client.client_id AS "clientId", one.jwk FROM client_secret one JOIN client ON client.id = one.client
        WHERE one.jwk ->> 'kid' = $1 AND client.client_id <> $2 ORDER BY client.client_id LIMIT 20`,
      [kid, clientId],
    );
    return rows;
  }

  override async tag(client: Client, tagIds: string[]): Promise<void> {
    const { rows } = await this.database.query('SELECT FROM tag WHERE id = ANY ($1) FOR SHARE', [tagIds]);
    if (rows.length !== new Set(tagIds).size) {
      throw Problem.invalid([{ field: 'clientTags', messages: [message('client-tag-gone')] }]);
    }
    await this.database.query('DELETE FROM client_tag_link WHERE client = $1 AND tag <> ALL ($2::uuid[])', [
      client.id,
      tagIds,
    ]);
    await this.database.query(
      'INSERT INTO client_tag_link (client, tag) SELECT DISTINCT $1::uuid, unnest($2::uuid[]) ON CONFLICT DO NOTHING',
      [client.id, tagIds],
    );
  }

  override async noteUse(secretId: string): Promise<void> {
    await this.database.queryOutsideTransaction(
      `UPDATE client_secret SET last_used_at = now()
       WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 hour')`,
      [secretId],
    );
  }

  private async findOne(where: FindOptionsWhere<Client>): Promise<Client | undefined> {
    // TypeORM's `findOne` would look for the id in a statement of its own.
    const [found] = await this.findAll(where);
    return found;
  }

  private findAll(where: FindOptionsWhere<Client>): Promise<Client[]> {
    return this.rows.find({
      where,
      relations: { secrets: true },
      order: { secrets: { position: 'ASC' } },
      // The default reads the two tables one after the other, and a client could change in between.
      relationLoadStrategy: 'join',
    });
  }

  private async save(client: Client): Promise<void> {
    try {
      await this.rows.save(client);
      // All clients are reloaded: a client may have had another client_id before.
      await this.notifications.send(clientsChanged);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw idRefused(message('client-id-taken'));
    }
  }

  private get rows(): Repository<Client> {
    return this.database.manager.getRepository(clientSchema);
  }
}

function idRefused(reason: Message): Problem {
  return new Problem('conflict', reason, { items: [{ field: 'clientId', messages: [reason] }] });
}

/** The condition for a client that has the value, which is its second parameter. */
function ownership(of: OwnedValue): [condition: string, value: string] {
  if ('redirectUri' in of) return ["client.settings -> 'redirectUris' ? $2", of.redirectUri];
  if ('postLogoutRedirectUri' in of) {
    return ["client.settings -> 'postLogoutRedirectUris' ? $2", of.postLogoutRedirectUri];
  }
  return [
    'EXISTS (SELECT FROM client_secret one WHERE one.client = client.id AND one.secret_hash = $2)',
    of.secretHash,
  ];
}
