/** How long somebody may take at the other provider (security K-01). */
export const attemptSeconds = 600;

/** A sign-in that is under way at another provider. */
export interface ExternalAttempt {
  scheme: string;
  /** Where it goes on here. Never told to the provider (security D-06). */
  returnUrl: string | null;
  /** The provider was told to ask the person anew. */
  reauthenticate: boolean;
  begunAt: Date;
}

/** What names an attempt: the `state` that comes back, in the browser that it was given to, for the same provider. */
export interface AttemptKey {
  stateHash: string;
  browserHash: string;
  scheme: string;
}

export abstract class ExternalAttempts {
  abstract add(key: AttemptKey, attempt: ExternalAttempt): Promise<void>;
  /** Uses it up: gives it to exactly one caller, and to nobody when it has expired. */
  abstract take(key: AttemptKey): Promise<ExternalAttempt | undefined>;
}
