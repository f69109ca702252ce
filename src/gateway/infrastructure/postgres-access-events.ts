import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { type AccessEvent, AccessEvents } from '../domain/access-events.js';

@Injectable()
export class PostgresAccessEvents extends AccessEvents {
  constructor(private readonly database: Database) {
    super();
  }

  override async findByIds(ids: string[]): Promise<AccessEvent[]> {
    const { rows } = await this.database.query<AccessEvent & { [column: string]: unknown }>(
      `SELECT id, recorded_at AS "recordedAt", user_id AS "userId", client_id AS "clientId", address,
              correlation_id AS "correlationId", detail
         FROM audit_event WHERE id = ANY ($1) ORDER BY id`,
      [ids],
    );
    return rows;
  }
}
