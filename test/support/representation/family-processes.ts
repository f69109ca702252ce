import pg from 'pg';
import { createDatabase, type TestConnection } from '../database/database.js';
import { Agent, type Answer } from '../http/agent.js';
import { HeldRequest } from '../http/held-request.js';
import { type MailSink, startMailSink } from '../mail-sink.js';
import { freePorts } from '../portal/portal.js';
import { PortalProcess } from '../portal/portal-process.js';
import type { Person } from '../users/people.js';
import { jwtApp, opaqueApp } from './acting.js';
import { family, type PatientServer, startPatientServer } from './family-portal.js';

/** Two nodes as processes before one database. A test stops or kills the first one; users are at the other. */
export interface FamilyProcesses extends PatientServer {
  issuer: string;
  fhirBase: string;
  ports: number[];
  connection: TestConnection;
  sink: MailSink;
  agents: Record<'admin' | 'second' | 'ana' | 'noah', Agent>;
  /** The first node. */
  first: PortalProcess;
  /** Starts it again, after it was killed. */
  restart(): Promise<void>;
  /** Ends the other node, and starts it with further sections of the configuration. */
  restartOther(more: object): Promise<void>;
  as(person: Person, node?: number): Promise<Agent>;
  accountId(person: Person): Promise<string>;
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  /** A request of the same user to the first node, over a connection of its own. */
  atFirst(user: Agent, send: (agent: Agent) => Promise<Answer>): HeldRequest;
  close(): Promise<void>;
}

/** `reach` gives the address at which the first node finds the database, which has these arguments of Node. */
export async function startFamilyProcesses(
  reach: (database: TestConnection) => Promise<TestConnection> = async (database) => database,
  users: readonly Person[] = [],
  nodeArguments: string[] = [],
): Promise<FamilyProcesses> {
  const database = await createDatabase();
  const pool = new pg.Pool({ ...database.connection, max: 3 });
  pool.on('error', () => undefined);
  const server = await startPatientServer();
  const sink = await startMailSink();
  const ports = await freePorts(2);
  const issuer = `http://localhost:${ports[0]}`;
  const config = {
    users: [...Object.values(family), ...users],
    clients: [jwtApp, opaqueApp],
    fhir: { baseUrl: server.upstream.url },
    locale: { timeZone: 'Europe/Amsterdam' },
    email: sink.config,
    representation: {},
  };
  const start = (node: number, connection: TestConnection, more: object = {}) =>
    PortalProcess.start({
      ...{ database: connection, port: ports[node] ?? 0, issuer, config: { ...config, ...more } },
      ...(node === 0 && { nodeArguments }),
    });
  const reached = await reach(database.connection);
  let other = await start(1, database.connection);
  const as = async ({ email: username, password }: Person, node = 1) => {
    const agent = new Agent(issuer, ports[node]);
    const answer = await agent.post('/api/session/login', { username, password });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return agent;
  };
  const query = async <Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) =>
    (await pool.query<Row>(sql, parameters)).rows;
  const [admin, second, ana, noah] = await Promise.all(
    [family.admin, family.secondAdmin, family.ana, family.noah].map((person) => as(person)),
  );
  const processes: FamilyProcesses = {
    ...server,
    ...{ issuer, fhirBase: `${issuer}/fhir`, ports, connection: database.connection, sink, as, query },
    agents: { admin, second, ana, noah } as FamilyProcesses['agents'],
    first: await start(0, reached),
    async restart() {
      processes.first = await start(0, reached);
    },
    async restartOther(more) {
      await other.end('SIGTERM');
      other = await start(1, database.connection, more);
    },
    async accountId({ email }) {
      const [row] = await query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]);
      return row?.id ?? '';
    },
    atFirst: (user, send) =>
      new HeldRequest(issuer, ports[0] ?? 0, (agent) => {
        for (const [name, value] of user.cookies) agent.cookies.set(name, value);
        return send(agent);
      }),
    async close() {
      await Promise.all([processes.first, other].map((node) => node.end('SIGKILL')));
      await pool.end();
      server.upstream.close();
      await sink.stop();
      await database.drop();
    },
  };
  return processes;
}
