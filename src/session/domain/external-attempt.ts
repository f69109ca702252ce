/** Longest duration of an attempt at the other provider (security K-01). */
export const attemptSeconds = 600;

/** A sign-in that is under way at another provider. */
export interface ExternalAttempt {
  scheme: string;
  /** The address to continue with here. Never sent to the provider (security D-06). */
  returnUrl: string | null;
  /** True if the provider was asked to authenticate the user again. */
  reauthenticate: boolean;
  begunAt: Date;
}

/** Identifies an attempt: the `state` that comes back, in the browser that it was given to, for the same provider. */
export interface AttemptKey {
  stateHash: string;
  browserHash: string;
  scheme: string;
}

export abstract class ExternalAttempts {
  abstract add(key: AttemptKey, attempt: ExternalAttempt): Promise<void>;
  /** Consumes it: gives it to exactly one caller, and to none when it has expired. */
  abstract take(key: AttemptKey): Promise<ExternalAttempt | undefined>;
}
