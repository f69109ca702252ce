import { type CanActivate, Injectable } from '@nestjs/common';
import { message } from '../../contract/messages/message.js';
import { Config } from '../../platform/config/config.js';
import { Problem } from '../../platform/errors.js';

/** Closes the routes of passkeys of a portal that has switched them off (`account.passkeys`). */
@Injectable()
export class PasskeysAllowed implements CanActivate {
  constructor(private readonly config: Config) {}

  canActivate(): boolean {
    if (this.config.account.passkeys === 'off') throw new Problem('forbidden', message('passkeys-off'));
    return true;
  }
}
