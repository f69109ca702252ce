import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-local';
import { LoginRequest } from '../../contract/session.js';
import { ContractValidationPipe } from '../../platform/http/validation.js';
import { PasswordSignIn } from '../application/password-sign-in.js';

/** Passport's username and password, read from the JSON body. */
@Injectable()
export class LocalLogin extends PassportStrategy(Strategy, 'local') {
  constructor(private readonly logins: PasswordSignIn) {
    super({ passReqToCallback: true });
  }

  validate(request: Request) {
    return this.logins.authenticate(request, request.body as LoginRequest);
  }
}

/** Checks the form first, so that a missing value is shown beside its field, and passes refusals on unchanged. */
@Injectable()
export class LocalLoginGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    await new ContractValidationPipe().transform(request.body, { type: 'body', metatype: LoginRequest });
    return (await super.canActivate(context)) as boolean;
  }

  override handleRequest<T>(error: unknown, account: T): T {
    if (error) throw error;
    return account;
  }
}
