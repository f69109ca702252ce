import type {
  ReadinessCheck,
  ReadinessCode,
  ReadinessReport,
  ReadinessState,
} from '../../../src/contract/readiness.js';
import type { Config } from '../../../src/platform/config/config.js';
import { Readiness } from '../../../src/readiness/application/readiness.js';
import { backendService, publicApp } from '../clients/clients.js';
import { startUpstream, type Upstream } from '../fhir/gateway.js';
import { startPortal, type TestPortal } from '../portal/portal.js';
import { people } from '../users/people.js';

export const wardBoard = {
  ...{ ...backendService, clientId: 'ward-board', clientName: 'Ward Board', allowedResourceTypes: ['Observation'] },
  clientSecrets: [1, 2].map((number) => ({
    secretType: 'SharedSecret',
    secret: `typed-secret-of-a-service-${number}`,
  })),
};
export const diary = {
  ...publicApp,
  clientName: 'Heart Diary',
  allowedResourceTypes: ['Observation'],
  allowOfflineAccess: false,
};
export const statementWithoutTypes = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: [] }],
};
export const withTypes = { ...statementWithoutTypes, rest: [{ mode: 'server', resource: [{ type: 'Patient' }] }] };

/** The answers of the FHIR server. */
interface Answers {
  capabilities: object;
  metadata: number;
  search: number;
  date: string | undefined;
  /** The base URL in the links of a search. */
  base: string | undefined;
  /** The `Content-Location` of a search. */
  place: string | undefined;
}

const usual: Answers = {
  capabilities: withTypes,
  metadata: 200,
  search: 401,
  date: undefined,
  base: undefined,
  place: undefined,
};

const searchset = (base: string | undefined) => ({
  resourceType: 'Bundle',
  ...(base !== undefined && { link: [{ relation: 'self', url: `${base}/Patient?_count=1` }] }),
});

// biome-ignore lint/suspicious/noConfusingVoidType: most rows have nothing to restore.
type Arranged = void | (() => void);
type CheckRow = [
  code: ReadinessCode,
  state: ReadinessState,
  finding: string | RegExp,
  arrange: () => Arranged | Promise<Arranged>,
];

/** A portal and a FHIR server for all tests of a file. Each test finds them without the changes of earlier tests. */
export function useReadinessPortal() {
  const answers: Answers = { ...usual };
  let upstream: Upstream;
  let portal: TestPortal;
  let original: Config;
  let undone: string[] = [];

  beforeAll(async () => {
    upstream = await startUpstream((request, response) => {
      const isMetadata = request.url?.endsWith('/metadata');
      response.sendDate = answers.date === undefined;
      if (answers.date) response.setHeader('date', answers.date);
      if (answers.place !== undefined && !isMetadata) response.setHeader('content-location', answers.place);
      response.writeHead(isMetadata ? answers.metadata : answers.search, { 'content-type': 'application/fhir+json' });
      response.end(JSON.stringify(isMetadata ? answers.capabilities : searchset(answers.base)));
    });
    portal = await startPortal({ config: { users: [people.admin], clients: [diary, wardBoard] } });
    original = { ...portal.config };
  });

  beforeEach(() => {
    Object.assign(answers, usual);
    undone = [];
    set('fhir', { baseUrl: upstream.url });
  });

  afterEach(async () => {
    for (const statement of undone.reverse()) await portal.query(statement);
    Object.assign(portal.config, original);
  });

  afterAll(async () => {
    await portal.close();
    upstream.close();
  });

  /** Changes members of a section of the configuration for this test. */
  function set<Section extends keyof Config>(section: Section, members: object): void {
    const value = { ...(portal.config[section] as object), ...members };
    Object.assign(portal.config, { [section]: value });
  }

  /** The statement undoes what this test did to the database. */
  const afterThisTest = (statement: string) => undone.push(statement);

  async function change(statement: string, undo?: string): Promise<void> {
    await portal.query(statement);
    if (undo) afterThisTest(undo);
  }

  const service = <T>(type: abstract new (...parameters: never[]) => T) =>
    portal.apps[0]?.get(type as new () => T, { strict: false }) as T;
  const report = () => service(Readiness).report();

  async function checkOf(code: ReadinessCode, given?: ReadinessReport): Promise<ReadinessCheck> {
    const { sections } = given ?? (await report());
    const found = sections.flatMap(({ checks }) => checks).find((check) => check.code === code);
    if (!found) throw new Error(`there is no check ${code}`);
    return found;
  }

  const note = (name: string, age: string, detail = '{}') =>
    change(
      `INSERT INTO readiness_note (name, noted_at, detail) VALUES ('${name}', now() - interval '${age}', '${detail}')`,
      'DELETE FROM readiness_note',
    );
  const secondFactor = () =>
    change(
      `INSERT INTO two_factor (account_id, sealed_key, key_id, last_step, recovery_codes, enabled_at)
       SELECT id, '', 'k', 0, '{}', now() FROM account`,
      'DELETE FROM two_factor',
    );
  const clientSettings = (clientId: string, settings: object, restored: object) =>
    change(
      `UPDATE client SET settings = settings || '${JSON.stringify(settings)}' WHERE client_id = '${clientId}'`,
      `UPDATE client SET settings = settings || '${JSON.stringify(restored)}' WHERE client_id = '${clientId}'`,
    );
  const publicIssuer = () => set('server', { issuer: 'https://login.hospital.example' });

  /** Each row is a test of one check. */
  const expectChecks = (rows: CheckRow[]) =>
    it.each(rows)('%s: %s: %s', async (code, state, finding, arrange) => {
      const restore = await arrange();
      try {
        const found = await checkOf(code);
        const text = found.finding.text
          .replace(portal.config.fhir.baseUrl ?? upstream.url, 'UPSTREAM')
          .replace(portal.config.server.issuer, (issuer) => (issuer === original.server.issuer ? 'ISSUER' : issuer))
          .replace(portal.config.dataDir, 'DATA');
        const expected = typeof finding === 'string' ? finding : expect.stringMatching(finding);
        expect([found.state, text]).toEqual([state, expected]);
      } finally {
        restore?.();
      }
    });

  return {
    ...{ answers, set, change, afterThisTest, service, report, checkOf, expectChecks },
    ...{ note, secondFactor, clientSettings, publicIssuer },
    get portal() {
      return portal;
    },
    get upstream() {
      return upstream;
    },
  };
}
