import { Notifications } from '../../src/platform/database/notifications.js';
import { ConnectionCuts } from '../support/database/connection-cuts.js';
import { ask, type RequestPortal, recordOf, review, startRequestPortal } from '../support/representation/asked.js';

const cuts = new ConnectionCuts();
let portal: RequestPortal;

beforeAll(async () => {
  portal = await startRequestPortal({ reachDatabase: (database) => cuts.reach(database) });
});

afterAll(async () => {
  await portal.close();
  await cuts.close();
});

const areListening = () => portal.apps.every((node) => node.get(Notifications, { strict: false }).isListening);

/** The request, its relationship and its record exist together or not at all. */
async function storedOf(id: string, number: string) {
  const [request] = await portal.query<{ status: string; linked: boolean }>(
    'SELECT status, relationship_id IS NOT NULL AS linked FROM request WHERE id = $1',
    [id],
  );
  const active = await portal.query(
    "SELECT FROM representation_relationship WHERE patient = $1 AND status = 'active'",
    [recordOf(number)],
  );
  const events = await portal.query("SELECT FROM audit_event WHERE type = 'request.decided' AND subject = $1", [id]);
  return { ...request, active: active.length, events: events.length };
}

test.each(['before', 'after'] as const)(
  'An approval whose node is killed %s a statement is stored as a whole or not at all, and can be repeated',
  async (moment) => {
    const { ana, admin, second } = portal.agents;
    const { statements } = await cuts.atEachStatement(
      moment,
      areListening,
      async () => {
        await portal.forget();
        const number = portal.aChild();
        const { id } = await ask(ana, number, {}, []);
        const { version, comparison } = await review(admin, id);
        const decision = {
          ...{ version, decision: 'approve', note: 'Seen at the front desk', seen: [], patient: comparison?.patient },
          ...{ basis: 'parental-responsibility', level: 'full', relation: 'mother' },
        };
        return {
          send: (node) => (node === 0 ? admin : second).post(`/api/admin/requests/${id}/decision`, decision),
          async check(first, again) {
            expect([200, 409]).toContain(again.status);
            if (first.status === 200) expect(again.status).toBe(409);
            const stored = await storedOf(id, number);
            expect(stored).toEqual({ status: 'approved', linked: true, active: 1, events: 1 });
          },
        };
      },
      { number: moment === 'before' ? 1 : 3, turns: 5 },
    );
    expect(statements).toBeGreaterThan(10);
  },
  300_000,
);
