import { Controller, Header, HttpCode, Post } from '@nestjs/common';
import { referenceOf } from '../../contract/activity/reference.js';
import { identifyLaunch, launchIdOfDay, note } from '../../platform/activity/launch-notes.js';
import { StrayRecords } from '../../platform/activity/stray-records.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Public } from '../../platform/http/access.js';
import { withErrorUri } from '../../platform/http/oauth-errors.js';
import { callerKey } from '../../platform/request/caller-key.js';

/**
 * Where programs look for dynamic registration (RFC 7591), which no discovery document of ours names: they are told
 * that there is none, and an administrator that one has tried it.
 */
@Controller('connect/register')
@Public()
export class RegistrationController {
  constructor(
    private readonly stray: StrayRecords,
    private readonly secrets: Secrets,
  ) {}

  @Post()
  @HttpCode(404)
  @Header('Cache-Control', 'no-store')
  refuse(): object {
    const id = this.stray.idFor('endpoint', launchIdOfDay(this.secrets, 'registration', callerKey()));
    identifyLaunch({ id, kind: 'service' });
    note('registration-not-offered');
    const sentence = 'There is no dynamic registration here: an administrator registers clients.';
    return withErrorUri({
      error: 'registration_not_supported',
      error_description: `${sentence} Reference: ${referenceOf(id)}`,
    });
  }
}
