import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { parse } from 'yaml';
import { createDatabase, type TestConnection } from '../support/database/database.js';

const lines = (file: string) => readFileSync(file, 'utf8').split('\n');

describe('The container image', () => {
  it('is built from files that the build context contains', () => {
    const admitted = lines('.dockerignore')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = lines('Dockerfile')
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));
    const isAdmitted = (path: string) => admitted.some((one) => path === one || path.startsWith(`${one}/`));
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !isAdmitted(path))).toEqual([]);
  });
});

describe('The packages of the image', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-packages-'));
    for (const name of ['demo', 'kit']) mkdirSync(join(folder, name));
    for (const file of ['package.json', 'package-lock.json', 'demo/package.json', 'kit/package.json'])
      copyFileSync(file, join(folder, file));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are those that the portal needs when it runs', () => {
    const [, stage = ''] = readFileSync('Dockerfile', 'utf8').split('AS runtime-packages');
    const commands = [...stage.matchAll(/npm (pkg delete|ci) [^&\\\n]*/g)].map(([command]) => command.trim());
    expect(commands.length).toBeGreaterThan(1);
    const listed = commands.map((command) => {
      const isInstall = command.startsWith('npm ci');
      const [program = '', ...args] = `${command}${isInstall ? ' --dry-run --offline' : ''}`.split(' ');
      const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
      expect([status, status === 0 || stderr]).toEqual([0, true]);
      return isInstall ? stdout.matchAll(/^add (\S+) /gm) : [];
    });
    const added = listed.flatMap((found) => [...found].map(([, name]) => name));
    expect(added).toEqual(expect.arrayContaining(['express', 'oidc-provider', 'pg']));
    expect(added.filter((name) => /^(@medplum|fhirclient|typescript|jest|vite|antd)/.test(String(name)))).toEqual([]);
  });
});

describe('The chart', () => {
  it('is of this release, whose image it runs', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(parse(readFileSync('deploy/helm/gatehouse/Chart.yaml', 'utf8'))).toMatchObject({
      version,
      appVersion: version,
    });
  });
});

describe('The compose file of a whole installation', () => {
  const { services, networks } = parse(readFileSync('deploy/compose/compose.yaml', 'utf8'));

  it('publishes ports of the TLS proxy only', () => {
    const published = Object.keys(services).filter((name) => services[name].ports);
    expect(published).toEqual(['caddy']);
  });

  it('lets the FHIR server be reached by the portal and its database only', () => {
    const reaches = (name: string) => services[name].networks as string[];
    const neighbours = Object.keys(services).filter((name) =>
      reaches(name).some((network) => reaches('hapi').includes(network)),
    );
    expect(neighbours.sort()).toEqual(['database', 'gatehouse', 'hapi']);
    for (const network of reaches('hapi')) expect(networks[network].internal).toBe(true);
  });

  it('gives the FHIR server a password of its own', () => {
    const { hapi, gatehouse, database } = services;
    const own = expect.stringMatching(/^\$\{HAPI_DATABASE_PASSWORD:/);
    expect(hapi.environment['spring.datasource.password']).toEqual(own);
    expect(database.environment.HAPI_DATABASE_PASSWORD).toEqual(own);
    expect(JSON.stringify(hapi.environment)).not.toContain('{DATABASE_PASSWORD');
    expect(JSON.stringify(gatehouse.environment)).not.toContain('HAPI');
  });
});

describe('The account of the FHIR server', () => {
  let folder: string;
  let own: Awaited<ReturnType<typeof createDatabase>>;
  const role = `hapi_${process.pid}`;
  const query = async (connection: TestConnection, ...statements: string[]) => {
    const client = new pg.Client(connection);
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-compose-'));
    own = await createDatabase();
  });
  afterAll(async () => {
    await query(own.connection, `DROP DATABASE IF EXISTS ${role}`, `DROP ROLE IF EXISTS ${role}`);
    await own.drop();
    rmSync(folder, { recursive: true });
  });

  /** The statements that the script gives to `psql`, and its arguments. */
  function ofScript(): { args: string; statements: string[] } {
    writeFileSync(join(folder, 'psql'), '#!/bin/sh\necho "$*"\ncat\n', { mode: 0o755 });
    const passwords = { POSTGRES_USER: 'gatehouse', POSTGRES_PASSWORD: 'ours', HAPI_DATABASE_PASSWORD: 'theirs' };
    const env = { PATH: `${folder}:${process.env.PATH}`, ...passwords };
    const { stdout, status } = spawnSync('sh', ['deploy/compose/hapi-database.sh'], { env, encoding: 'utf8' });
    expect(status).toBe(0);
    const [args = '', ...sql] = stdout.trim().split('\n');
    return { args, statements: sql };
  }

  it('reaches its own database, and no table of ours', async () => {
    const { args, statements } = ofScript();
    expect(args).toContain('--set password=theirs');
    // The databases of a run are shared: only those of this test are changed.
    const here = statements.map((statement) =>
      statement
        .replace(":'password'", "'theirs'")
        .replace(/, postgres, template1/, '')
        .replace(/\bhapi\b/g, role)
        .replace(/\bgatehouse\b/g, own.connection.database),
    );
    await query(own.connection, ...here);
    const hapi = { ...own.connection, user: role };
    await query({ ...hapi, database: role }, 'CREATE TABLE resource (id text)');
    await expect(query(hapi, 'SELECT 1 FROM account')).rejects.toThrow(/permission denied for database/);
  });
});

describe.each(['compose.yaml', 'deploy/compose/compose.yaml'])('%s', (file) => {
  it('names the exact release of each image', () => {
    const { services } = parse(readFileSync(file, 'utf8'));
    const images = Object.values<{ image?: string }>(services).flatMap(({ image }) => image ?? []);
    expect(images.length).toBeGreaterThan(0);
    expect(images.filter((image) => !/:v?\d+\.\d+(\.\d+)?(-[\w-]+)?$/.test(image))).toEqual([]);
  });
});
