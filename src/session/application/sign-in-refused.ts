import type { ExternalSignInError } from '../../contract/session.js';

/** A sign-in at another provider that leads to no session. The message for the user follows from the reason. */
export class SignInRefused extends Error {
  constructor(
    readonly reason: ExternalSignInError,
    readonly options: { returnUrl?: string | null | undefined; cause?: unknown } = {},
  ) {
    super(reason, { cause: options.cause });
    this.name = 'SignInRefused';
  }

  /** The page that shows the reason, from which the user can continue. */
  get location(): string {
    const isIncomplete = this.reason === 'incomplete';
    const { returnUrl } = this.options;
    const query = new URLSearchParams({
      ...(!isIncomplete && { error: this.reason }),
      ...(returnUrl && { returnUrl }),
    });
    const page = isIncomplete ? '/account/error' : '/login';
    return query.size > 0 ? `${page}?${query}` : page;
  }
}
