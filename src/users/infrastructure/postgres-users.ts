import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { EntitySchema, Raw, type Repository } from 'typeorm';
import { Database, isUniqueViolation } from '../../platform/database/database.js';
import { Notifications } from '../../platform/database/notifications.js';
import { Problem } from '../../platform/errors.js';
import { accountsChanged, User, Users } from '../domain/user.js';

export const userSchema = new EntitySchema<User>({
  name: 'User',
  target: User,
  tableName: 'account',
  columns: {
    id: { type: 'uuid', primary: true },
    email: { type: 'text' },
    fullName: { type: 'text', name: 'full_name' },
    userType: { type: 'text', name: 'user_type' },
    claims: { type: 'jsonb' },
    passwordHash: { type: 'text', name: 'password_hash', nullable: true },
    emailConfirmed: { type: 'boolean', name: 'email_confirmed' },
    isExternal: { type: 'boolean', name: 'is_external' },
    securityStamp: { type: 'text', name: 'security_stamp' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
});

@Injectable()
export class PostgresUsers extends Users {
  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {
    super();
  }

  override async add(user: User): Promise<void> {
    try {
      await this.rows.insert(user);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const message = 'A user with this e-mail address already exists.';
      throw new Problem('conflict', message, { items: [{ field: 'email', messages: [message] }] });
    }
  }

  override async find(id: string): Promise<User | undefined> {
    // PostgreSQL answers a text that is no uuid with an error instead of with nothing.
    if (!isUUID(id, 'all')) return undefined;
    return (await this.rows.findOneBy({ id })) ?? undefined;
  }

  override async findByEmail(email: string): Promise<User | undefined> {
    const sameAddress = Raw((column) => `lower(${column}) = lower(:email)`, { email });
    return (await this.rows.findOneBy({ email: sameAddress })) ?? undefined;
  }

  override async findForChange(id: string): Promise<User | undefined> {
    if (!isUUID(id, 'all')) return undefined;
    await this.database.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [id]);
    return (await this.rows.findOneBy({ id })) ?? undefined;
  }

  override async change(user: User): Promise<void> {
    const { fullName, userType, claims, passwordHash, emailConfirmed, securityStamp } = user;
    await this.rows.update(
      { id: user.id },
      { fullName, userType, claims: [...claims], passwordHash, emailConfirmed, securityStamp },
    );
    await this.notifications.send(accountsChanged, user.id);
  }

  override async remove({ id }: User): Promise<void> {
    await this.rows.delete({ id });
    await this.notifications.send(accountsChanged, id);
  }

  override async countAdminsForChange(): Promise<number> {
    // In the order of the ids, so that two who delete each other wait for one another instead of for ever.
    const { rowCount } = await this.database.query(
      "SELECT FROM account WHERE user_type = 'Admin' ORDER BY id FOR UPDATE",
    );
    return rowCount ?? 0;
  }

  override async count(): Promise<number> {
    const { rows } = await this.database.query<{ total: number }>(
      "SELECT coalesce(sum(people), 0)::int AS total FROM account_tally WHERE user_type <> 'Admin'",
    );
    return rows[0]?.total ?? 0;
  }

  private get rows(): Repository<User> {
    return this.database.manager.getRepository(userSchema);
  }
}
