import type { TestPortal } from './portal.js';

/** Pauses a user's app, also one that has no access yet. */
export async function pauseApp(portal: TestPortal, { email }: { email: string }, clientId: string): Promise<void> {
  await portal.query('INSERT INTO app_pause SELECT id, $2 FROM account WHERE email = $1 ON CONFLICT DO NOTHING', [
    email,
    clientId,
  ]);
  await portal.query("SELECT pg_notify('gatehouse_pauses', '')");
}
