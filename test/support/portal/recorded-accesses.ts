import type { AccessDetail } from '../../../src/contract/audit/access-detail.js';
import type { people } from '../users/people.js';
import type { TestPortal } from './portal.js';

/** An access to a record as the gateway records it; by default a patient reads one condition with an app. */
export interface GivenAccess extends Partial<AccessDetail> {
  at: Date;
  by?: keyof typeof people | 'service' | 'deleted';
  app: string;
}

/** Records accesses in the past. */
export async function recordAccesses(
  portal: TestPortal,
  accounts: typeof people,
  ...accesses: GivenAccess[]
): Promise<void> {
  const rows = await portal.query<{ id: string; email: string }>('SELECT id, email FROM account');
  for (const { at, by = 'patient', app, ...rest } of accesses) {
    const email = by === 'service' || by === 'deleted' ? undefined : accounts[by].email;
    const known = rows.find((row) => row.email === email)?.id;
    const userId = by === 'service' ? null : (known ?? '0b5d0000-0000-4000-8000-000000000000');
    const detail = {
      method: 'GET',
      target: '/Condition/c',
      status: 200,
      interaction: 'read',
      resource: 'Condition/c',
      patient: '1',
      ...rest,
    };
    await portal.query(
      `INSERT INTO audit_event (recorded_at, type, outcome, user_id, client_id, address, correlation_id, detail)
       VALUES ($1, 'record.accessed', $2, $3, $4, '203.0.113.9', gen_random_uuid()::text, $5)`,
      [at, detail.status < 400 ? 'success' : 'failure', userId, app, detail],
    );
  }
}
