import { Injectable } from '@nestjs/common';
import { type FieldProblem, message } from '../../../contract/messages/message.js';
import { emailProblem } from '../../../contract/rules/users/email.js';
import type { CreateInitialAdminRequest } from '../../../contract/users/users.js';
import { Audit } from '../../../platform/audit/audit.js';
import { Config } from '../../../platform/config/config.js';
import { isLoopback } from '../../../platform/config/load-config.js';
import { equalInConstantTime, Secrets } from '../../../platform/crypto/secrets.js';
import { Database } from '../../../platform/database/database.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { log } from '../../../platform/logging/log.js';
import { Installation } from '../../domain/installation.js';
import { User, Users } from '../../domain/user.js';
import { newUserIdentity } from '../new-user-identity.js';
import { Passwords } from '../passwords/passwords.js';

const attempts: Limit = { name: 'create-initial', points: 5, seconds: 60 };

/** Administrators, and the installation's memory that there has been one. */
@Injectable()
export class Admins {
  constructor(
    private readonly installation: Installation,
    private readonly users: Users,
    private readonly passwords: Passwords,
    private readonly limits: Limits,
    private readonly audit: Audit,
    private readonly database: Database,
    private readonly config: Config,
    private readonly secrets: Secrets,
  ) {}

  /** True once there has been an administrator; from then on `/register` is closed (security J-02). */
  hadAdmin(): Promise<boolean> {
    return this.installation.hadAdmin();
  }

  /**
   * Proof that the creator of the first administrator can read this portal's output: on a network, any client could be
   * first (security J-03). Derived from the master key and the installation, so that every node prints the same one and
   * none is stored. Undefined once there is an administrator and where only this machine can connect.
   */
  async neededSetupToken(): Promise<string | undefined> {
    if (this.isForThisMachine() || (await this.hadAdmin())) return undefined;
    return this.secrets.hmac('setup-token', await this.installation.id());
  }

  /**
   * Creates an installation's first administrator from the browser: once, however many requests there are. `caller` is
   * the key of the rate limit.
   */
  async createFirst({ Email, Password, SetupToken }: CreateInitialAdminRequest, caller: string): Promise<void> {
    await this.limits.takePoint(attempts, caller);
    if (await this.hadAdmin()) throw adminExists();
    if (!(await this.acceptsSetupToken(SetupToken))) {
      throw Problem.invalid([{ field: 'SetupToken', messages: [message('setup-token-wrong')] }]);
    }
    const problems = this.problems(Email, Password);
    if (problems.length > 0) throw Problem.invalid(problems);
    const passwordHash = await this.passwords.hash(Password);
    const admin = User.createAdmin({ email: Email, fullName: 'Administrator', passwordHash }, newUserIdentity());
    if (!(await this.addFirst(admin))) throw adminExists();
    log.info({ account: admin.id }, 'first administrator created');
  }

  /** True as well when none is needed. */
  private async acceptsSetupToken(given: string | undefined): Promise<boolean> {
    const expected = await this.neededSetupToken();
    return expected === undefined || (given !== undefined && equalInConstantTime(given, expected));
  }

  /** A proxy that lets others in connects from this machine as well, but then the portal has a name that they know. */
  private isForThisMachine(): boolean {
    const { host, issuer } = this.config.server;
    return isLoopback(host) && isLoopback(new URL(issuer).hostname);
  }

  private problems(email: string, password: string): FieldProblem[] {
    const inEmail = emailProblem(email);
    const inPassword = this.passwords.problems(password, email);
    return [
      ...(inEmail ? [{ field: 'Email', messages: [inEmail] }] : []),
      ...(inPassword.length > 0 ? [{ field: 'Password', messages: inPassword }] : []),
    ];
  }

  /** Stores the account if it is the installation's first administrator; of several at once only one is. */
  private addFirst(admin: User): Promise<boolean> {
    return this.database.transaction(async () => {
      if (!(await this.installation.claimFirstAdmin(admin.createdAt))) return false;
      await this.users.add(admin);
      await this.recordCreation(admin);
      return true;
    });
  }

  /** Stores an administrator whether or not there is one already. */
  async add(admin: User): Promise<void> {
    await this.database.transaction(async () => {
      await this.installation.claimFirstAdmin(admin.createdAt);
      await this.users.add(admin);
      await this.recordCreation(admin);
    });
  }

  /** Stores that an account has become an administrator's. */
  async promote(admin: User, before: User): Promise<void> {
    await this.database.transaction(async () => {
      await this.installation.claimFirstAdmin(new Date());
      await this.users.change(admin, before);
      await this.recordCreation(admin);
    });
  }

  private async recordCreation({ id }: User): Promise<void> {
    await this.audit.record({ type: 'admin.created', outcome: 'success', subject: id });
  }
}

/** `spec §7`: 403 means that an admin exists. */
function adminExists(): Problem {
  return new Problem('forbidden', message('admin-exists'));
}
