import type pg from 'pg';
import type { DatabaseServer } from './database-server.js';
import type { PatroniCluster } from './patroni-cluster.js';

/** A way in which the primary is lost. */
interface Kind {
  name: string;
  /** Begins it; the primary is not waited for. */
  force(cluster: PatroniCluster, primary: DatabaseServer): Promise<void>;
  /** Afterwards, when there is a new primary: the old one comes back. */
  comeBack(primary: DatabaseServer): void;
}

export const kinds: Kind[] = [
  {
    name: 'PostgreSQL and Patroni killed',
    async force(_, primary) {
      primary.killPatroni();
      primary.killPostgres();
    },
    comeBack: (primary) => primary.startPatroni(),
  },
  {
    name: 'machine frozen, later awake',
    force: async (_, primary) => primary.freeze(),
    comeBack: (primary) => primary.wake(),
  },
  {
    name: 'patronictl failover',
    async force(cluster) {
      const { name } = await cluster.synchronousStandby();
      await cluster.patronictl('failover', 'gatehouse', '--candidate', name, '--force');
    },
    comeBack: () => undefined,
  },
  {
    name: 'Patroni killed, PostgreSQL runs on',
    force: async (_, primary) => primary.killPatroni(),
    comeBack: (primary) => primary.startPatroni(),
  },
  {
    name: 'PostgreSQL killed',
    force: async (_, primary) => primary.killPostgres(),
    comeBack: () => undefined,
  },
];

/**
 * Writes on the old primary, past the proxy, by a connection that was open before: what a node would do that has not
 * noticed. None is answered with success once another server accepts changes.
 */
export class LateWrites {
  private constructor(private readonly client: pg.Client) {}

  /** Marks are rows of this table. */
  static async createTable(primary: DatabaseServer): Promise<void> {
    const client = await primary.connect();
    await client.query('CREATE TABLE late_write (mark text)');
    await client.end();
  }

  static async prepare(primary: DatabaseServer): Promise<LateWrites> {
    return new LateWrites(await primary.connect());
  }

  /** True if the server has answered it with success. */
  succeeds(mark: string): Promise<boolean> {
    return this.client.query('INSERT INTO late_write VALUES ($1)', [mark]).then(
      () => true,
      () => false,
    );
  }

  async end(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }

  /** The marks that the new primary has. */
  static async kept(primary: DatabaseServer): Promise<string[]> {
    const client = await primary.connect();
    const { rows } = await client.query<{ mark: string }>('SELECT mark FROM late_write');
    await client.end();
    return rows.map(({ mark }) => mark);
  }
}
