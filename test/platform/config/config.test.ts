import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ConfigError, configJsonSchema, loadConfig } from '../../../src/platform/config/load-config.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function problemsOf(yaml: string, env: NodeJS.ProcessEnv = {}): string[] {
  writeFileSync(join(folder, 'gatehouse.yaml'), yaml);
  try {
    loadConfig(env, folder);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const ofPostgres = 'must be the URL of a PostgreSQL database, such as postgres://user:password@host:5432/database';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The paths of all keys; a list has an item. */
const leaves = ({ properties, items }: Schema, path: (string | number)[] = []): (string | number)[][] => {
  if (items) return [path, ...leaves(items, [...path, 0])];
  if (!properties) return [path];
  return [path, ...Object.entries(properties).flatMap(([key, schema]) => leaves(schema, [...path, key]))];
};
const nested = ([key, ...rest]: (string | number)[], value: unknown): unknown => {
  if (key === undefined) return value;
  return key === 0 ? [nested(rest, value)] : { [key]: nested(rest, value) };
};

describe('The configuration', () => {
  it('names each fault of the help desk that users are sent to', () => {
    const faults = (helpDesk: string) => problemsOf(`account:\n  helpDesk: ${helpDesk}\n`);
    for (const fit of [
      "{ phone: '+1 (555) 0100' }",
      '{ email: help@example.org }',
      '{ page: https://a.example/help }',
    ]) {
      expect(faults(fit)).toEqual([]);
    }
    expect(faults('{ hours: at night }')).toEqual([
      'account.helpDesk: must have a phone number, an e-mail address or a page',
    ]);
    expect(faults("{ phone: 'javascript:alert(1)' }")).toEqual(['account.helpDesk.phone: must be a phone number']);
    expect(faults('{ page: http://a.example }').length).toBe(1);
    expect(problemsOf('account:\n  lostSecondFactor: mail\n').length).toBe(1);
  });

  it('names each fault of the organizations that apps list', () => {
    const organization = (more: string) =>
      `brands:\n  updatedAt: 2026-11-28T10:00:00Z\n  organizations:\n    - { name: A, website: 'https://a.example', addresses: [{ city: B }]${more} }\n`;
    expect(problemsOf(organization(''))).toEqual([]);
    expect(problemsOf(organization(', tenants: [north]'))).toEqual([
      'brands.organizations.0.tenants: there is no tenant north',
    ]);
    expect(problemsOf(organization(', logo: logo.png'))).toEqual([
      'brands.organizations.0.logo: must be an https URL of a picture, or an SVG or PNG as a data URL',
    ]);
    const same = "    - { name: C, website: 'https://www.a.example/c', addresses: [{ postalCode: '1' }] }\n";
    expect(problemsOf(organization('') + same)).toEqual([
      'brands.organizations.1.website: another organization has the same one',
    ]);
    expect(problemsOf(organization('').replace('2026-11-28T10:00:00Z', 'yesterday'))).toEqual([
      'brands.updatedAt: must be a time with its zone, such as 2026-11-28T10:00:00Z',
    ]);
    expect(problemsOf(organization('').replace('  updatedAt: 2026-11-28T10:00:00Z\n', ''))).toEqual([
      'brands.updatedAt: is required with organizations, so that apps recognise a change',
    ]);
    expect(problemsOf(organization('').replace('[{ city: B }]', '[{ country: usa }]')).length).toBeGreaterThan(0);
    expect(problemsOf(organization('').replace('[{ city: B }]', '[]'))).toEqual([
      'brands.organizations.0.addresses: must have at least one address',
    ]);
  });

  it.each([
    ['server.port', 'abc', 'must be a number'],
    ['server.port', '-1', 'must be 0 or more'],
    ['server.port', '99999', 'must be at most 65535'],
    ['server.port', '80.5', 'must be a whole number'],
    ['server.port', '{ a: 1 }', 'must be a number'],
    ['telemetry.sampleRatio', 'half', 'must be a number'],
    ['server.host', '[a]', 'must be text'],
    ['server.trustedProxies', '10.0.0.1', 'must be a list'],
    ['gateway.enabled', 'perhaps', 'must be true or false'],
    ['logging.level', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent'],
    ['branding.organizationTitle', 'a'.repeat(101), 'must have at most 100 characters'],
    ['database.url', 'mysql://gatehouse@db/gatehouse', ofPostgres],
    ['database.url', 'jdbc:postgresql://db/gatehouse', ofPostgres],
    ['database.url', 'db.hospital.example', ofPostgres],
    ['database.url', "''", ofPostgres],
  ])('says of %s: %s what it must be', (key, value, sentence) => {
    const [section, name] = key.split('.');
    expect(problemsOf(`${section}:\n  ${name}: ${value}\n`)).toContainEqual(`${key}: ${sentence}`);
  });

  it('takes PostgreSQL by each of its schemes, and by a socket', () => {
    const masterKey = { GATEHOUSE_KEYS__MASTER_KEY: 'ab'.repeat(32) };
    for (const url of ['postgres://a@b/c', 'postgresql://a:b@c:5432/d?sslmode=require', 'postgres:///c?host=/run/pg'])
      expect(problemsOf('', { ...masterKey, DATABASE_URL: url })).toEqual([]);
  });

  it('has no words of the library that reads it, whatever a key contains', () => {
    const wrong = [
      'abc',
      '-1',
      '1e99',
      '1.5',
      'true',
      '[]',
      '[1, x]',
      '{}',
      '{ a: 1 }',
      'null',
      "''",
      `'${'x'.repeat(9000)}'`,
    ];
    const found = leaves(configJsonSchema()).flatMap((path) =>
      wrong.flatMap((value) =>
        problemsOf(stringify(nested(path, parse(value)))).map((problem) => problem.slice(0, 200)),
      ),
    );
    expect(found.length).toBeGreaterThan(500);
    expect(found.filter((problem) => /invalid|expected|received|too (big|small)|unrecognized/i.test(problem))).toEqual(
      [],
    );
  });

  it('is complete without a file', () => {
    const config = loadConfig({}, folder);
    expect(config.server).toMatchObject({ issuer: 'http://localhost:3000', host: '127.0.0.1', port: 3000 });
    expect(config.dataDir).toBe(join(folder, 'data'));
  });

  it('has an issuer with the port of the portal, unless it names one', () => {
    expect(loadConfig({ GATEHOUSE_SERVER__PORT: '8080' }, folder).server.issuer).toBe('http://localhost:8080');
    const named = { GATEHOUSE_SERVER__PORT: '8080', GATEHOUSE_SERVER__ISSUER: 'https://login.hospital.example' };
    expect(loadConfig(named, folder).server.issuer).toBe('https://login.hospital.example');
    expect(loadConfig({ GATEHOUSE_SERVER__PORT: '0' }, folder).server.issuer).toBe('http://localhost:3000');
    expect(problemsOf('server: 8080')).toEqual([expect.stringMatching(/^server: /)]);
    expect(problemsOf('server: { port: many }')).toEqual([expect.stringMatching(/^server\.port: /)]);
  });

  it('names every invalid key, also contradictions between sections', () => {
    const problems = problemsOf(`
server: { issuer: "http://login.hospital.example", prot: 1 }
database: { url: "postgres://db/gatehouse", poolSize: many }
gateway: { path: /api/fhir }
colour: petrol
`);
    expect(problems).toEqual([
      expect.stringContaining('server.prot: there is no such key'),
      expect.stringMatching(/^database\.poolSize: /),
      expect.stringContaining('colour: there is no such key'),
      expect.stringContaining("gateway.path: is one of the portal's own paths"),
    ]);
  });

  it('requires a master key with an external database, and https for a public host', () => {
    expect(
      problemsOf('server: { issuer: "http://login.hospital.example" }\ndatabase: { url: "postgres://db/g" }'),
    ).toEqual([
      'server.issuer: must be https, http is for localhost only',
      expect.stringContaining('keys.masterKey: is required'),
    ]);
  });

  it('does not call a key missing whose section is refused for another error', () => {
    const database = 'database: { url: "postgres://db/g" }';
    expect(problemsOf(`${database}\nkeys: { masterKey: too-short }`)).toEqual([
      expect.stringMatching(/^keys\.masterKey: must be 32 bytes/),
    ]);
    const disclaimer = 'disclaimers: [{ id: terms, description: Terms, html: Terms, tenant: north }]';
    expect(problemsOf(`${disclaimer}\nfhir: { baseUrl: nowhere, tenants: [] }`)).toEqual([
      expect.stringMatching(/^fhir\.baseUrl: /),
    ]);
  });

  it('has no management address by default, and refuses the port of the portal as its port', () => {
    expect(loadConfig({}, folder).server.management).toBeUndefined();
    const config = loadConfig({ GATEHOUSE_SERVER__MANAGEMENT__HOST: '0.0.0.0' }, folder);
    expect(config.server.management).toEqual({ host: '0.0.0.0', port: 9464 });
    expect(problemsOf('server: { port: 9464, management: {} }')).toEqual([
      'server.management.port: must be another port than server.port',
    ]);
    expect(problemsOf('server: { management: { port: 0 } }')).toEqual([
      expect.stringMatching(/^server\.management\.port: /),
    ]);
  });

  it('allows passkeys by default, and can require them', () => {
    expect(loadConfig({}, folder).account.passkeys).toBe('allowed');
    for (const setting of ['off', 'allowed', 'required']) {
      expect(problemsOf(`account: { passkeys: ${setting} }`)).toEqual([]);
    }
    expect(problemsOf('account: { passkeys: always }')).toEqual([expect.stringMatching(/^account\.passkeys: /)]);
  });

  it('cannot need passkeys of administrators where there are none', () => {
    expect(problemsOf('account: { adminsNeed: passkey }')).toEqual([]);
    expect(problemsOf('account: { adminsNeed: passkey, passkeys: off }')).toEqual([
      'account.adminsNeed: cannot be passkey while account.passkeys is off',
    ]);
    expect(problemsOf('server: { issuer: "https://10.0.0.5" }\naccount: { adminsNeed: passkey }')).toEqual([
      'account.adminsNeed: cannot be passkey while server.issuer has an IP address in place of a name',
    ]);
    expect(problemsOf('server: { issuer: "https://10.0.0.5" }')).toEqual([]);
  });

  it('deletes accounts at once by default, or after up to a year', () => {
    expect(loadConfig({}, folder).account.deletionDays).toBe(0);
    expect(problemsOf('account: { deletionDays: 7 }')).toEqual([]);
    for (const days of ['-1', '366', '1.5', 'week']) {
      expect(problemsOf(`account: { deletionDays: ${days} }`)).toEqual([
        expect.stringMatching(/^account\.deletionDays: /),
      ]);
    }
  });

  it('keeps launches for whole days, by default for thirty', () => {
    expect(loadConfig({}, folder).activity.keepDays).toBe(30);
    for (const days of ['-1', '1.5', '3651', 'ever']) {
      expect(problemsOf(`activity: { keepDays: ${days} }`)).toEqual([expect.stringMatching(/^activity\.keepDays: /)]);
    }
  });

  it('accepts an issuer with a path in one spelling only', () => {
    const pathOf = (issuer: string) => problemsOf(JSON.stringify({ server: { issuer } }));
    for (const path of ['', '/', '/auth', '/auth/', '/hospital/login-2', '/~a/b.c_d']) {
      expect([path, pathOf(`https://hospital.example${path}`)]).toEqual([path, []]);
    }
    for (const path of ['//', '/auth//x', '/../auth', '/auth/.', '/au th', '/%61uth', '/auth;x', '/"><script>', '/ä']) {
      const problem = 'server.issuer: must have a path of letters, digits, dots and dashes, or none';
      expect([path, pathOf(`https://hospital.example${path}`)]).toEqual([path, [problem]]);
    }
  });

  it('L-05 limits the texts about the organization', () => {
    const branding = { organizationTitle: 'x'.repeat(101), loginPageText: 'x'.repeat(1001) };
    expect(problemsOf(JSON.stringify({ branding }))).toEqual([
      expect.stringContaining('branding.organizationTitle'),
      expect.stringContaining('branding.loginPageText'),
    ]);
  });

  it.each(['nowhere', 'ftp://fhir.internal', 'http://fhir.internal/r4?x', 'http://user@fhir.internal/r4'])(
    'refuses %s as a further name of the FHIR server',
    (alias) => {
      expect(problemsOf(`fhir: { baseUrl: "http://fhir.internal/r4", aliases: ["${alias}"] }`)).toEqual([
        expect.stringMatching(/^fhir\.aliases\.0: must be /),
      ]);
    },
  );

  it.each([
    'https://files.example/',
    'https://files.example/a',
    'gs://bucket',
    'files.example',
    'https://u@files.example',
  ])('refuses %s as a store of exports', (store) => {
    const [problem] = problemsOf(`fhir: { baseUrl: "http://fhir.internal/r4", exportStores: ["${store}"] }`);
    expect(problem).toMatch(/^fhir\.exportStores\.0: must be /);
    const good = '["https://files.example", "http://minio.internal:9000"]';
    expect(problemsOf(`fhir: { baseUrl: "http://fhir.internal/r4", exportStores: ${good} }`)).toEqual([]);
  });

  it('requires distinct tenants', () => {
    const problems = problemsOf(`
fhir:
  baseUrl: https://fhir.hospital.example/r4
  tenants:
    - { id: north, name: North Clinic, baseUrl: "https://north.example/r4" }
    - { id: north, name: Again, baseUrl: "https://north.example/r4/" }
    - { id: south, name: South Clinic, baseUrl: "https://fhir.hospital.example/r4/" }
`);
    expect(problems).toEqual([
      'fhir.tenants.1.id: another tenant has the same one',
      'fhir.tenants.1.baseUrl: is the server of another tenant, or fhir.baseUrl',
      'fhir.tenants.2.baseUrl: is the server of another tenant, or fhir.baseUrl',
    ]);
    const named = problemsOf(`
fhir:
  baseUrl: https://fhir.hospital.example/r4
  aliases: ["http://hapi.internal:8080/fhir/"]
  tenants:
    - { id: north, name: North Clinic, baseUrl: "https://north.example/r4", aliases: ["https://own.example"] }
    - { id: south, name: South Clinic, baseUrl: "https://south.example/r4", aliases: ["http://hapi.internal:8080/fhir"] }
    - { id: west, name: West Clinic, baseUrl: "https://west.example/r4", aliases: ["https://north.example/r4/"] }
`);
    expect(named).toEqual([
      'fhir.aliases: one is a name of the server of a tenant',
      'fhir.tenants.1.aliases: one is a name of the server of another tenant, or of fhir.baseUrl',
      'fhir.tenants.2.aliases: one is a name of the server of another tenant, or of fhir.baseUrl',
    ]);
    for (const id of ['Patient', 'a/b', '..', '.well-known', '$export', 'metadata']) {
      const wrong = problemsOf(`fhir: { tenants: [{ id: "${id}", name: N, baseUrl: "https://n.example" }] }`);
      expect(wrong).toEqual([expect.stringMatching(/^fhir\.tenants\.0\.id: /)]);
    }
  });

  it('requires distinct identity providers, and reads their secrets from elsewhere', () => {
    const provider = (more: string) =>
      `{ scheme: hospital, displayName: H, authority: "https://id.example", clientId: g, clientSecret: s, ${more} }`;
    const problems = problemsOf(`
identityProviders:
  - ${provider('copyClaims: [{ claim: email, as: sub }, { claim: role, as: fhirUser }]')}
  - ${provider('authority2: x')}
  - ${provider('autoProvision: true').replace('https:', 'http:')}
`);
    expect(problems).toEqual(['identityProviders.1.authority2: there is no such key']);
    expect(
      problemsOf(`
identityProviders:
  - ${provider('copyClaims: [{ claim: email, as: sub }, { claim: role, as: fhirUser }]')}
  - ${provider('autoProvision: true').replace('https:', 'http:')}
`),
    ).toEqual([
      "identityProviders.0.copyClaims.0.name: The claim 'sub' is set by the server and cannot be chosen.",
      expect.stringMatching(/^identityProviders\.0\.copyClaims\.1\.value: /),
      'identityProviders.1.scheme: another provider has the same one',
      'identityProviders.1.authority: must be https, http is for localhost only',
    ]);
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'from-a-file\n');
    writeFileSync(join(folder, 'gatehouse.yaml'), `identityProviders:\n  - ${provider('logoutMethod: single')}`);
    const env = { GATEHOUSE_IDENTITY_PROVIDERS__0__CLIENT_SECRET_FILE: secret };
    expect(loadConfig(env, folder).identityProviders).toMatchObject([
      { scheme: 'hospital', clientSecret: 'from-a-file', fhirUser: { claim: 'fhirUser' }, logoutMethod: 'single' },
    ]);
  });

  it('requires distinct disclaimers with existing tenants', () => {
    expect(problemsOf('disclaimers: [{ id: "", description: "", html: "", client: app }]')).toEqual([
      expect.stringMatching(/^disclaimers\.0\.id: /),
      expect.stringMatching(/^disclaimers\.0\.description: /),
      expect.stringMatching(/^disclaimers\.0\.html: /),
      'disclaimers.0.client: there is no such key',
    ]);
    expect(
      problemsOf(`
disclaimers:
  - { id: use, description: Use of this portal, html: "<p>a</p>" }
  - { id: use, description: Again, html: "<p>b</p>", tenant: north }
`),
    ).toEqual([
      'disclaimers.1.id: another disclaimer has the same one',
      'disclaimers.1.tenant: is not a tenant of fhir.tenants',
    ]);
  });

  it('reports an unreadable file with its path', () => {
    expect(problemsOf('server: [')).toEqual([expect.stringContaining('gatehouse.yaml')]);
    expect(problemsOf('just text')).toEqual([expect.stringContaining('must hold sections')]);
    expect(problemsOf('', { GATEHOUSE_CONFIG: 'elsewhere.yaml' })).toEqual([
      expect.stringContaining('there is no file'),
    ]);
  });

  it('accepts single values from the environment, and secrets from files', () => {
    const secret = join(folder, 'key');
    writeFileSync(secret, `${'ab'.repeat(32)}\n`);
    const config = loadConfig(
      {
        GATEHOUSE_SERVER__PORT: '8080',
        GATEHOUSE_GATEWAY__ENABLED: 'false',
        GATEHOUSE_KEYS__MASTER_KEY_FILE: secret,
        DATABASE_URL: 'postgres://db/gatehouse',
      },
      folder,
    );
    expect(config.server.port).toBe(8080);
    expect(config.gateway.enabled).toBe(false);
    expect(config.keys.masterKey).toBe('ab'.repeat(32));
    expect(config.database.url).toBe('postgres://db/gatehouse');
  });
});
