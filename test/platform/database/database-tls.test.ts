import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { testPackage } from '../../../scripts/test/postgres-versions.mjs';
import { refusePooledTransactions, withDatabase } from '../../../src/platform/database/first-contact.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { prepareCluster } from '../../../src/platform/database/postgres-cluster.js';
import { PostgresServer } from '../../support/database/postgres-pair.js';
import { freePorts } from '../../support/portal/portal.js';

let folder: string;
let server: PostgresServer;
let port = 0;

/** Creates a CA, and a certificate for `localhost` that it signs. */
function certify(ca: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const fresh = ['-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...fresh, '-keyout', `${ca}.key`, '-out', `${ca}.pem`, '-subj', `/CN=${ca}`);
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'server.key',
    '-out',
    'server.csr',
    '-subj',
    '/CN=localhost',
  );
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost');
  const signed = ['-CA', `${ca}.pem`, '-CAkey', `${ca}.key`, '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl('x509', '-req', '-in', 'server.csr', '-out', 'server.pem', ...signed);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-tls-'));
  certify('other-ca');
  certify('ca');
  const cluster = await prepareCluster(join(folder, 'data'), 'gatehouse', false, testPackage());
  const { ids } = cluster.identity;
  if (ids) for (const file of ['server.key', 'server.pem']) chownSync(join(folder, file), ids.uid, ids.gid);
  writeFileSync(
    join(cluster.dir, 'pg_hba.conf'),
    'local all all trust\nhostssl all all 127.0.0.1/32 trust\nhostssl all all ::1/128 trust\n',
  );
  [port = 0] = await freePorts(1);
  chmodSync(folder, 0o755);
  server = new PostgresServer(cluster, port);
  await server.start({
    listen_addresses: '127.0.0.1',
    ssl: 'on',
    ssl_cert_file: join(folder, 'server.pem'),
    ssl_key_file: join(folder, 'server.key'),
  });
});

afterAll(async () => {
  await server.end('SIGINT');
  rmSync(folder, { recursive: true, force: true });
});

const url = (host: string, parameters: Record<string, string>) => ({
  connectionString: `postgres://gatehouse@${host}:${port}/postgres?${new URLSearchParams(parameters)}`,
});
const reach = (host: string, parameters: Record<string, string>) =>
  withDatabase(url(host, parameters), { seconds: 0, say: () => undefined }, async () => undefined);
const ca = (name: string) => join(folder, `${name}.pem`);

describe('A database that requires TLS', () => {
  it('is used with sslmode=verify-full and the CA in sslrootcert, also by migrations', async () => {
    const connection = url('localhost', { sslmode: 'verify-full', sslrootcert: ca('ca') });
    await withDatabase(connection, { seconds: 0, say: () => undefined }, async () => undefined);
    await refusePooledTransactions(connection);
    await migrate(connection);
    const client = new pg.Client(connection);
    await client.connect();
    const { rows } = await client.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    await client.end();
    expect(rows).toEqual([{ ssl: true }]);
  });

  it.each<[string, string, () => Record<string, string>, RegExp]>([
    ['without TLS', 'localhost', () => ({}), /no encryption/],
    [
      'with another CA',
      'localhost',
      () => ({ sslmode: 'verify-full', sslrootcert: ca('other-ca') }),
      /certificate|signature/,
    ],
    ['with a CA that is not named', 'localhost', () => ({ sslmode: 'verify-full' }), /certificate/],
    ['by another name', '127.0.0.1', () => ({ sslmode: 'verify-full', sslrootcert: ca('ca') }), /IP|altnames/],
    [
      'with sslmode=require and no CA, which checks the certificate as well',
      'localhost',
      () => ({ sslmode: 'require' }),
      /certificate/,
    ],
  ])('is not used %s', async (_, host, parameters, reason) => {
    await expect(reach(host, parameters())).rejects.toThrow(reason);
  });

  it('is used without a check of its certificate only with sslmode=no-verify', async () => {
    await reach('127.0.0.1', { sslmode: 'no-verify' });
  });
});
