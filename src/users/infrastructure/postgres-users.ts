import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { EntitySchema, In, Raw, type Repository } from 'typeorm';
import { message } from '../../contract/messages/message.js';
import { addressKey } from '../../contract/rules/users/email.js';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Problem } from '../../platform/errors.js';
import { RecordAddresses } from '../domain/record-addresses.js';
import { type ExternalIdentity, User, Users, userChangedMeanwhile, usersChanged } from '../domain/user.js';
import { addressSpellings, hasSpelling } from './address-spellings.js';

export const userSchema = new EntitySchema<User>({
  name: 'User',
  target: User,
  tableName: 'account',
  columns: {
    id: { type: 'uuid', primary: true },
    email: { type: 'text', nullable: true },
    fullName: { type: 'text', name: 'full_name' },
    userType: { type: 'text', name: 'user_type' },
    claims: { type: 'jsonb' },
    passwordHash: { type: 'text', name: 'password_hash', nullable: true },
    emailConfirmed: { type: 'boolean', name: 'email_confirmed' },
    emailUnproven: { type: 'boolean', name: 'email_unproven' },
    isExternal: { type: 'boolean', name: 'is_external' },
    issuer: { type: 'text', nullable: true },
    subject: { type: 'text', nullable: true },
    securityStamp: { type: 'text', name: 'security_stamp' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    version: { type: 'int' },
    standardClaims: { type: 'jsonb', name: 'profile' },
    // Maintained by a trigger.
    toldAt: { type: 'timestamptz', name: 'told_at', nullable: true, insert: false, update: false },
  },
});

@Injectable()
export class PostgresUsers extends Users {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly recordAddresses: RecordAddresses,
  ) {
    super();
  }

  override async add(user: User): Promise<void> {
    await this.assertAddressIsFree(user);
    if (!(await this.recordAddresses.isFree(user))) throw addressOfOther('email');
    try {
      await this.rows.insert(user);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw addressTaken();
    }
  }

  override async findById(id: string): Promise<User | undefined> {
    // PostgreSQL answers a text that is not a uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    return (await this.rows.findOneBy({ id })) ?? undefined;
  }

  override async findByEmail(email: string): Promise<User | undefined> {
    const spellings = addressSpellings(email);
    const isSame = Raw((column) => hasSpelling(column, 'CAST(:spellings AS text[])'), { spellings });
    const rows = await this.rows.findBy({ email: isSame, isExternal: false });
    const found = (one: string) => rows.find((row) => row.email?.toLowerCase() === one);
    // Earlier releases gave each form an account of its own. Some databases take `İ` for `i`; the counting of guesses
    // does not.
    return spellings.map(found).find((row) => row !== undefined);
  }

  override async ofRecord(fhirUser: string): Promise<User[]> {
    const claims = JSON.stringify([{ name: 'fhirUser', value: fhirUser }]);
    return this.rows.findBy({ claims: Raw((column) => `${column} @> CAST(:claims AS jsonb)`, { claims }) });
  }

  override async findByIdentity({ issuer, subject }: ExternalIdentity): Promise<User | undefined> {
    return (await this.rows.findOneBy({ issuer, subject })) ?? undefined;
  }

  override ofIds(ids: readonly string[]): Promise<User[]> {
    return this.rows.findBy({ id: In([...ids]) });
  }

  override async findByIdentityForChange({ issuer, subject }: ExternalIdentity): Promise<User | undefined> {
    await this.lockName(JSON.stringify([issuer, subject]));
    const { rows } = await this.database.query<{ id: string }>(
      'SELECT id FROM account WHERE issuer = $1 AND subject = $2 FOR UPDATE',
      [issuer, subject],
    );
    return rows[0] && this.findById(rows[0].id);
  }

  override async findForChange(id: string): Promise<User | undefined> {
    if (!isUUID(id, 'all')) return undefined;
    await this.database.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [id]);
    return (await this.rows.findOneBy({ id })) ?? undefined;
  }

  override async change(user: User, before: User): Promise<void> {
    if (user.isExternal) await this.assertAddressIsFree(user);
    const decides = ({ email, claims }: User) => JSON.stringify([email, claims]);
    if (decides(user) !== decides(before) && !(await this.recordAddresses.isFree(user))) throw addressOfOther('claims');
    const { fullName, email, userType, claims, passwordHash, emailConfirmed, securityStamp, version } = user;
    const { standardClaims, emailUnproven } = user;
    const { affected } = await this.rows.update(
      { id: user.id, version: before.version },
      {
        ...{ fullName, email, userType, claims: [...claims], passwordHash, emailConfirmed, securityStamp, version },
        ...{ standardClaims, emailUnproven },
      },
    );
    if (affected !== 1) throw new Problem('conflict', userChangedMeanwhile);
    await this.notifications.send(usersChanged, user.id);
  }

  override async remove({ id }: User): Promise<void> {
    await this.rows.delete({ id });
    await this.notifications.send(usersChanged, id);
  }

  override async countOtherAdminsForChange(id: string): Promise<number> {
    // Locks in the order of the ids, so that two administrators who delete each other do not deadlock.
    await this.database.query("SELECT FROM account WHERE user_type = 'Admin' ORDER BY id FOR UPDATE");
    return this.countOtherAdmins(id);
  }

  override async countOtherAdmins(id: string): Promise<number> {
    const { rows } = await this.database.query<{ others: number }>(
      `SELECT count(*)::int AS others FROM account
        WHERE user_type = 'Admin' AND id <> $1
          AND NOT EXISTS (SELECT FROM account_deletion WHERE account_id = account.id)`,
      [id],
    );
    return rows[0]?.others ?? 0;
  }

  override async count(): Promise<number> {
    const { rows } = await this.database.query<{ total: number }>(
      "SELECT coalesce(sum(people), 0)::int AS total FROM account_tally WHERE user_type <> 'Admin'",
    );
    return rows[0]?.total ?? 0;
  }

  /** An address belongs to one local account, or to any number of users of other providers (security K-05). */
  private async assertAddressIsFree({ id, email, isExternal }: User): Promise<void> {
    if (email === null) return;
    await this.lockName(`address ${addressKey(email)}`);
    const { rowCount } = await this.database.query(
      `SELECT FROM account WHERE ${hasSpelling('email', '$1::text[]')} AND id <> $2
        ${isExternal ? 'AND NOT is_external' : ''} LIMIT 1`,
      [addressSpellings(email), id],
    );
    if (rowCount) throw addressTaken();
  }

  /** Held until the transaction ends: a row that does not exist yet cannot be locked. */
  private async lockName(what: string): Promise<void> {
    await this.database.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [what]);
  }

  private get rows(): Repository<User> {
    return this.database.manager.getRepository(userSchema);
  }
}

/** A patient's account would have the address of one who acts or acted for the patient. */
function addressOfOther(field: 'email' | 'claims'): Problem {
  return Problem.invalid([{ field, messages: [message('user-address-of-other')] }]);
}

function addressTaken(): Problem {
  const taken = message('user-email-taken');
  return new Problem('conflict', taken, { items: [{ field: 'email', messages: [taken] }] });
}
