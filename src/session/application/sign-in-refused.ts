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

  /** The page that shows the reason, from which the user can go on. */
  get location(): string {
    if (this.reason === 'incomplete') return '/account/error';
    const { returnUrl } = this.options;
    return `/login?${new URLSearchParams({ error: this.reason, ...(returnUrl ? { returnUrl } : {}) })}`;
  }
}
