import { Controller, Header, HttpCode, Post } from '@nestjs/common';
import { Public } from '../../platform/http/access.js';
import { withErrorUri } from '../../platform/http/oauth-errors.js';
import { RefusedRegistrations } from '../application/refused-registrations.js';

/** Where programs look for dynamic registration (RFC 7591), which no discovery document of ours names. */
@Controller('connect/register')
@Public()
export class RegistrationController {
  constructor(private readonly registrations: RefusedRegistrations) {}

  @Post()
  @HttpCode(404)
  @Header('Cache-Control', 'no-store')
  refuse(): object {
    const sentence = 'There is no dynamic registration here: an administrator registers clients.';
    return withErrorUri({
      error: 'registration_not_supported',
      error_description: `${sentence} Reference: ${this.registrations.refuse()}`,
    });
  }
}
