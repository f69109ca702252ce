/** The providers at which the latest sign-in failed by what they did, for the readiness report. */
export abstract class ProviderFailures {
  /** In place of the one before. `why` is in English, for administrators. */
  abstract note(scheme: string, why: string): Promise<void>;
  /** The provider has answered as it should. */
  abstract forget(scheme: string): Promise<void>;
}
