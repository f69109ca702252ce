import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { type Access, accessMetadata, polledMetadata } from '../../platform/http/access.js';
import type { SignedInRequest } from '../../platform/http/signed-in.js';
import { Sessions } from '../application/sessions.js';

/** The one guard of all routes, closed by default: each route declares its callers. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: Sessions,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(accessMetadata, targets);
    if (access?.to === 'everyone') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<SignedInRequest>();
    const polled = this.reflector.getAllAndOverride<boolean | undefined>(polledMetadata, targets) === true;
    const response = http.getResponse<Response>();
    request.signedIn = await this.sessions.admit(request, response, access?.types ?? [], { extend: !polled });
    return true;
  }
}
