import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { UserType } from '../../contract/session.js';

/** The caller, as determined by the session guard. */
export interface SignedInUser {
  id: string;
  userType: UserType;
  /** True if the caller is a service with a management token instead of a user. */
  isService?: boolean;
}

export interface SignedInRequest extends Request {
  signedIn?: SignedInUser;
}

/** The caller of a route that is not public. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): SignedInUser => {
  const { signedIn } = context.switchToHttp().getRequest<SignedInRequest>();
  if (!signedIn) throw new Error('@SignedIn() is used on a public route');
  return signedIn;
});
