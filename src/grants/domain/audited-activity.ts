/** Activity of users, as the audit record has it. Each access is in it before it is answered. */
export abstract class AuditedActivity {
  /**
   * The time of each app's last access to the FHIR server, by client id; for each app only accesses after `lastUsed`, so
   * that no long history is read.
   */
  abstract lastAccesses(
    accountId: string,
    apps: readonly { clientId: string; lastUsed: Date }[],
  ): Promise<Map<string, Date>>;
  abstract lastSignIn(accountId: string): Promise<Date | undefined>;
}
