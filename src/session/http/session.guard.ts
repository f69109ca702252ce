import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  type Access,
  accessMetadata,
  type OwnAccountEffect,
  ownAccountMetadata,
  passkeysMetadata,
  peopleOnlyMetadata,
  polledMetadata,
  representationMetadata,
} from '../../platform/http/access.js';
import { browserOf, type HttpBrowser } from '../../platform/http/http-browser.js';
import type { SignedInRequest } from '../../platform/http/signed-in.js';
import { type Call, CallerAdmission } from '../application/caller-admission.js';

/** The one guard of all routes, closed by default: each route declares its callers. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly admission: CallerAdmission,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    const access = this.reflector.getAllAndOverride<Access | undefined>(accessMetadata, targets);
    const isMarked = (metadata: string) =>
      this.reflector.getAllAndOverride<boolean | undefined>(metadata, targets) === true;
    if (isMarked(passkeysMetadata)) this.admission.admitPasskeys();
    if (access?.to === 'everyone') return true;
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const browser = browserOf(context);
    const [path = ''] = (request.url ?? '').split('?', 1);
    const call = {
      browser,
      path,
      service: serviceCall(browser, path),
      isPolled: isMarked(polledMetadata),
      ownAccount: this.reflector.getAllAndOverride<OwnAccountEffect | undefined>(ownAccountMetadata, targets),
      isForPeople: isMarked(peopleOnlyMetadata),
    };
    request.signedIn = await this.admission.admit(call, access?.types ?? []);
    if (isMarked(representationMetadata)) this.admission.admitRepresentation();
    return true;
  }
}

/** The credentials of a service, for `/api/admin` alone and only next to no session of a browser. */
function serviceCall(browser: HttpBrowser, path: string): Call['service'] {
  const { authorization } = browser.request.headers;
  if (!path.startsWith('/api/admin/') || browser.hasSession || authorization === undefined) return undefined;
  return { method: browser.request.method ?? '', authorization };
}
