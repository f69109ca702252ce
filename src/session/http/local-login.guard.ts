import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request, Response } from 'express';
import { Strategy } from 'passport-local';
import { LoginRequest } from '../../contract/session.js';
import { HttpBrowser } from '../../platform/http/http-browser.js';
import { ContractValidationPipe } from '../../platform/http/validation.js';
import { PasswordCheck } from '../application/password-check.js';

/** A request whose password was right. */
export interface CheckedRequest {
  user: Awaited<ReturnType<PasswordCheck['authenticate']>>;
}

/** Passport's username and password, read from the JSON body. */
@Injectable()
export class LocalLogin extends PassportStrategy(Strategy, 'local') {
  constructor(private readonly passwords: PasswordCheck) {
    super({ passReqToCallback: true });
  }

  validate(request: Request) {
    return this.passwords.authenticate(new HttpBrowser(request, request.res as Response), request.body as LoginRequest);
  }
}

/** Checks the form first, so that a missing value is shown at its field, and passes refusals on unchanged. */
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
