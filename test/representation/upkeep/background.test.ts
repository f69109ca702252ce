/** What a request or a look starts, and nothing waits for. */
import pg from 'pg';
import { Notifications } from '../../../src/platform/database/notifications.js';
import { RepresentedAccess } from '../../../src/representation/application/represented-access.js';
import { RelationshipSweeps } from '../../../src/representation/application/upkeep/relationship-sweeps.js';
import { type NewRelationship, Relationships } from '../../../src/representation/domain/relationships.js';
import { usersChanged } from '../../../src/users/application/user-directory.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { until } from '../../support/until.js';

let portal: FamilyPortal;
let ana: string;

beforeEach(async () => {
  portal = await startFamilyPortal({ nodes: 2 });
  ana = await portal.accountId(family.ana);
});

afterEach(() => portal.close());

const part = <Part>(token: abstract new (...all: never[]) => Part) =>
  portal.apps[0]?.get(token as never, { strict: false }) as Part;
const acts = (members: Partial<NewRelationship>) =>
  part(Relationships).add(aNewRelationship(ana, { patient: 'leo', ...members }));
const stored = async () => (await portal.query<object>('SELECT status, reason FROM representation_relationship'))[0];

/** Closes the first node while another connection holds a table, which is given back then. */
async function closeWhileLocked(table: string, begin: () => Promise<unknown>): Promise<void> {
  const holder = new pg.Client(portal.connection);
  await holder.connect();
  try {
    await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await begin();
    await until(async () => {
      const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
      return (await holder.query(waiting)).rows.length > 0;
    });
    let isClosed = false;
    const closed = portal.apps[0]?.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isClosed).toBe(false);
    await holder.query('COMMIT');
    await closed;
  } finally {
    await holder.end();
  }
}

describe('A node that stops', () => {
  it('stores what a request has found before', async () => {
    await acts({ end: '2020-01-01' });
    await closeWhileLocked('represented_patient', () =>
      part(RepresentedAccess).forRequest({ account: ana, tenant: undefined, patient: 'leo', at: new Date() }),
    );
    expect(await stored()).toEqual({ status: 'ended', reason: 'period' });
  });

  it('ends what the change of an account ends', async () => {
    await acts({});
    await portal.query("UPDATE representation_relationship SET tenant = 'other'");
    await closeWhileLocked('account', async () => {
      await portal.apps[0]?.get(Notifications, { strict: false }).send(usersChanged, ana);
    });
    expect(await stored()).toEqual({ status: 'ended', reason: 'representative-gone' });
  });
});

describe('A look', () => {
  const dies = async () => {
    await acts({});
    portal.has('leo', { deceasedBoolean: true });
  };
  const dueAfterDays = async () => {
    const [row] = await portal.query<{ days: number | null }>(
      'SELECT extract(epoch FROM due_at - now()) / 86400 AS days FROM representation_relationship',
    );
    return row?.days ?? 0;
  };

  it('whose finding could not be stored is repeated within an hour', async () => {
    await dies();
    await portal.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.status = 'suspended' THEN RAISE EXCEPTION 'refused by the test'; END IF; RETURN NEW; END $$`,
    );
    await portal.query(
      `CREATE TRIGGER refuse BEFORE UPDATE ON representation_relationship FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    await part(RelationshipSweeps).sweep(new Date());
    expect(await stored()).toEqual({ status: 'active', reason: null });
    expect(await dueAfterDays()).toBeLessThan(0.1);
    await portal.query('DROP TRIGGER refuse ON representation_relationship');
    await part(RelationshipSweeps).sweep(new Date(Date.now() + 3_700_000));
    expect(await stored()).toEqual({ status: 'suspended', reason: 'deceased' });
  });
});
