import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { SignedInUser } from '../request/signed-in-user.js';

export type { SignedInUser };

export interface SignedInRequest extends Request {
  signedIn?: SignedInUser;
}

/** The caller of a route that is not public. */
export const SignedIn = createParamDecorator((_: unknown, context: ExecutionContext): SignedInUser => {
  const { signedIn } = context.switchToHttp().getRequest<SignedInRequest>();
  if (!signedIn) throw new Error('@SignedIn() is used on a public route');
  return signedIn;
});
