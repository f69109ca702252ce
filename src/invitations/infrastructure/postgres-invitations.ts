import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import {
  type AcceptedBefore,
  type EndedBefore,
  type Invitation,
  type InvitationEnd,
  Invitations,
  type NewInvitation,
} from '../domain/invitation.js';

type Row = Omit<Invitation, 'tenant'> & { tenant: string };

const selected = `id, inviter_id AS "inviterId", tenant, patient, first_name AS "firstName", full_name AS "fullName",
  email, basis, level, relation, ends_on::text AS "end", token_hash AS "tokenHash", mail_id AS "mailId", code,
  wrong_codes AS "wrongCodes", created_at AS "createdAt", expires_at AS "expiresAt"`;
const isOpen = "status = 'open' AND expires_at > now()";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

@Injectable()
export class PostgresInvitations extends Invitations {
  constructor(private readonly database: Database) {
    super();
  }

  async add(invitation: NewInvitation, days: number): Promise<Invitation | undefined> {
    const { id, inviterId, tenant = '', patient, firstName, fullName, email, basis, level, relation } = invitation;
    const { end, tokenHash, mailId, code } = invitation;
    // Of two at the same time, the second one finds the first.
    await this.database.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [inviterId]);
    const [added] = await this.query(
      `INSERT INTO representation_invitation (id, inviter_id, tenant, patient, first_name, full_name, email, basis,
         level, relation, ends_on, token_hash, mail_id, code, expires_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::date, $12, $13, $14, now() + make_interval(days => $15)
        WHERE NOT EXISTS (SELECT FROM representation_invitation
                           WHERE inviter_id = $2 AND lower(email) = lower($7) AND ${isOpen})
       RETURNING ${selected}`,
      [
        ...[id, inviterId, tenant, patient, firstName, fullName, email, basis, level, relation],
        ...[end, tokenHash, mailId, code, days],
      ],
    );
    return added;
  }

  openOfInviter(inviterId: string): Promise<Invitation[]> {
    return this.query(
      `SELECT ${selected} FROM representation_invitation WHERE inviter_id = $1 AND ${isOpen} ORDER BY created_at, id`,
      [inviterId],
    );
  }

  async endedOfInviter(inviterId: string): Promise<EndedBefore[]> {
    const { rows } = await this.database.query<EndedBefore>(
      `SELECT id, full_name AS "fullName", basis, level, relation, created_at AS "createdAt",
         CASE status WHEN 'open' THEN 'expired' ELSE status END AS why
         FROM representation_invitation one
        WHERE inviter_id = $1
          AND (status IN ('declined', 'codes-used-up') OR (status = 'open' AND expires_at <= now()))
          AND NOT EXISTS (SELECT FROM representation_invitation later
                           WHERE later.inviter_id = one.inviter_id AND lower(later.email) = lower(one.email)
                             AND later.created_at > one.created_at)
        ORDER BY created_at DESC, id`,
      [inviterId],
    );
    return rows;
  }

  async findOpen(id: string): Promise<Invitation | undefined> {
    if (!uuid.test(id)) return undefined;
    const rows = await this.query(`SELECT ${selected} FROM representation_invitation WHERE id = $1 AND ${isOpen}`, [
      id,
    ]);
    return rows[0];
  }

  async findAccepted(id: string): Promise<AcceptedBefore | undefined> {
    if (!uuid.test(id)) return undefined;
    const [found] = await this.query(
      `SELECT ${selected} FROM representation_invitation WHERE id = $1 AND status = 'accepted'`,
      [id],
    );
    return found;
  }

  async takeTry(id: string, tokenHash: string, mostTries: number): Promise<Invitation | undefined> {
    if (!uuid.test(id)) return undefined;
    const rows = await this.database.outsideTransaction(() =>
      this.query(
        `UPDATE representation_invitation SET wrong_codes = wrong_codes + 1
          WHERE id = $1 AND token_hash = $2 AND wrong_codes < $3 AND ${isOpen} RETURNING ${selected}`,
        [id, tokenHash, mostTries],
      ),
    );
    return rows[0];
  }

  async changeCode(id: string, code: Buffer): Promise<Invitation | undefined> {
    const rows = await this.query(
      `UPDATE representation_invitation SET code = $2 WHERE id = $1 AND ${isOpen} RETURNING ${selected}`,
      [id, code],
    );
    return rows[0];
  }

  async end(id: string, end: InvitationEnd): Promise<Invitation | undefined> {
    const { rows } = await this.database.query<Row>(
      `UPDATE representation_invitation SET status = $2, code = NULL WHERE id = $1 AND ${isOpen} RETURNING ${selected}`,
      [id, end],
    );
    return rows.map(invitationOf)[0];
  }

  async purge(days: number, most: number): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM representation_invitation WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM representation_invitation WHERE created_at < now() - make_interval(days => $1)
          LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [days, most],
    );
    return rowCount ?? 0;
  }

  private async query(sql: string, parameters: unknown[]): Promise<Invitation[]> {
    const { rows } = await this.database.query<Row>(sql, parameters);
    return rows.map(invitationOf);
  }
}

function invitationOf({ tenant, ...row }: Row): Invitation {
  return { ...row, tenant: tenant === '' ? undefined : tenant };
}
