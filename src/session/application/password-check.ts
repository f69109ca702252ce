import { Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { addressKey } from '../../contract/rules/users/email.js';
import { note } from '../../platform/activity/launch-notes.js';
import { Audit } from '../../platform/audit/audit.js';
import { Problem } from '../../platform/errors.js';
import { log } from '../../platform/logging/log.js';
import type { Browser } from '../../platform/request/browser.js';
import { SecurityNotices } from '../../users/application/security-notices.js';
import { UserDirectory, type UserFacts } from '../../users/application/user-directory.js';
import { SignInLimits } from './sign-in-limits.js';
import { SignInOptions } from './sign-in-options.js';

export interface Credentials {
  username: string;
  password: string;
  returnUrl?: string | null;
}

/** The first step of signing in with a password: whether it is right. */
@Injectable()
export class PasswordCheck {
  constructor(
    private readonly options: SignInOptions,
    private readonly accounts: UserDirectory,
    private readonly limits: SignInLimits,
    private readonly notices: SecurityNotices,
    private readonly audit: Audit,
  ) {}

  /** Returns the account of this password; one answer for every reason to refuse it (security F-01). */
  async authenticate(browser: Browser, { username, password, returnUrl }: Credentials): Promise<UserFacts> {
    if (!(await this.options.forRequest({ browser, returnUrl })).enableLocalLogin) {
      note('sign-in-method-closed', { method: 'a password of this portal' });
      throw new Problem('forbidden', message('login-not-local'));
    }
    const email = addressKey(username);
    const account = await this.limits
      .guard(
        browser,
        email,
        () => this.accounts.authenticate(username, password),
        () => this.warn(email),
      )
      .catch((error: unknown) => {
        if (error instanceof Problem && error.kind === 'throttled') note('sign-in-locked', secondsOf(error));
        throw error;
      });
    if (!account) {
      note('password-wrong');
      await this.audit.recordRefusal({ type: 'login', userId: await this.accounts.idOf(email) });
      throw new Problem('unauthenticated', message('login-wrong'));
    }
    return account;
  }

  /** Runs without being awaited: a longer answer would reveal that there is an account. */
  private warn(email: string): void {
    const notice = async () => {
      const id = await this.accounts.idOf(email);
      if (id !== undefined) await this.notices.send(id, { name: 'many-failures' });
    };
    notice().catch((error: unknown) => log.warn({ err: error }, 'failed to send login-failure notice'));
  }
}

function secondsOf({ options }: Problem): { seconds: number } {
  return { seconds: options.retryAfterSeconds ?? 0 };
}
