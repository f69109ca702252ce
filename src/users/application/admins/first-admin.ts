import { Injectable } from '@nestjs/common';
import { type FieldProblem, message } from '../../../contract/messages/message.js';
import { emailProblem } from '../../../contract/rules/users/email.js';
import type { CreateInitialAdminRequest } from '../../../contract/users/users.js';
import { Problem } from '../../../platform/errors.js';
import { type Limit, Limits } from '../../../platform/limits/limits.js';
import { log } from '../../../platform/logging/log.js';
import { User } from '../../domain/user.js';
import { newUserIdentity } from '../new-user-identity.js';
import { Passwords } from '../passwords/passwords.js';
import { Admins } from './admins.js';
import { SetupToken } from './setup-token.js';

const attempts: Limit = { name: 'create-initial', points: 5, seconds: 60 };

/** Creates an installation's first administrator from the browser: once, however many requests there are. */
@Injectable()
export class FirstAdmin {
  constructor(
    private readonly limits: Limits,
    private readonly admins: Admins,
    private readonly passwords: Passwords,
    private readonly setupToken: SetupToken,
  ) {}

  /** `caller` is the key of the rate limit. */
  async create({ Email, Password, SetupToken }: CreateInitialAdminRequest, caller: string): Promise<void> {
    await this.limits.takePoint(attempts, caller);
    if (await this.admins.hadAdmin()) throw adminExists();
    if (!(await this.setupToken.accepts(SetupToken))) {
      throw Problem.invalid([{ field: 'SetupToken', messages: [message('setup-token-wrong')] }]);
    }
    const problems = this.problems(Email, Password);
    if (problems.length > 0) throw Problem.invalid(problems);
    const passwordHash = await this.passwords.hash(Password);
    const admin = User.createAdmin({ email: Email, fullName: 'Administrator', passwordHash }, newUserIdentity());
    if (!(await this.admins.addFirst(admin))) throw adminExists();
    log.info({ account: admin.id }, 'first administrator created');
  }

  private problems(email: string, password: string): FieldProblem[] {
    const inEmail = emailProblem(email);
    const inPassword = this.passwords.problems(password, email);
    return [
      ...(inEmail ? [{ field: 'Email', messages: [inEmail] }] : []),
      ...(inPassword.length > 0 ? [{ field: 'Password', messages: inPassword }] : []),
    ];
  }
}

/** `spec §7`: 403 means that an admin exists. */
function adminExists(): Problem {
  return new Problem('forbidden', message('admin-exists'));
}
