import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { ConfigError } from '../../platform/config/load-config.js';
import { randomId } from '../../platform/crypto/secrets.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import { User, Users } from '../domain/user.js';
import { Admins } from './admins/admins.js';
import { newUserIdentity } from './new-user-identity.js';
import { Passwords } from './passwords/passwords.js';

type ConfiguredAccount = Config['users'][number];

/** Creates the accounts that the configuration names, where they are missing; meant for demos and tests. */
@Injectable()
export class ConfiguredUsers implements OnApplicationBootstrap {
  constructor(
    private readonly config: Config,
    private readonly users: Users,
    private readonly admins: Admins,
    private readonly passwords: Passwords,
  ) {}

  /** Refuses the start with everything that is wrong with them. */
  async onApplicationBootstrap(): Promise<void> {
    const problems: string[] = [];
    for (const [index, configured] of this.config.users.entries()) {
      try {
        await this.createIfMissing(configured);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        problems.push(...describeProblem(error, index));
      }
    }
    if (problems.length > 0) throw new ConfigError(problems);
  }

  private async createIfMissing(configured: ConfiguredAccount): Promise<void> {
    if (await this.users.findByEmail(configured.email)) return;
    const messages = this.passwords.problems(configured.password, configured.email);
    if (messages.length > 0) throw Problem.invalid([{ field: 'password', messages }]);
    const passwordHash = await this.passwords.hash(configured.password);
    try {
      const id = await this.create(configured, passwordHash);
      log.info({ account: id, userType: configured.userType }, 'account of the configuration created');
    } catch (error) {
      // Another node that starts at the same moment was faster.
      if (!(error instanceof Problem && error.kind === 'conflict')) throw error;
    }
  }

  private async create(configured: ConfiguredAccount, passwordHash: string): Promise<string> {
    const { email, fullName, userType, claims } = configured;
    if (userType === 'Admin') {
      const admin = User.createAdmin({ email, fullName, passwordHash }, newUserIdentity());
      await this.admins.add(admin);
      return admin.id;
    }
    const user = User.invite({ email, fullName, userType, claims }, newUserIdentity()).withPassword(
      passwordHash,
      randomId(),
    );
    await this.users.add(user);
    return user.id;
  }
}

function describeProblem(problem: Problem, index: number): string[] {
  return problem
    .body()
    .errors.flatMap(({ field, messages }) =>
      messages.map((text) => `users.${index}${field ? `.${field}` : ''}: ${text}`),
    );
}
