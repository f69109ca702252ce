import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClientManagement } from '../../../src/clients/application/client-management.js';
import { restoreSummary } from '../../../src/platform/backup/backup-summary.js';
import type { RestoredBackup } from '../../../src/platform/backup/restore-backup.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { backUp, masterKey, restore } from '../../support/database/backups.js';
import { createDatabase } from '../../support/database/database.js';
import { Agent } from '../../support/http/agent.js';
import { startFhirPortal } from '../../support/portal/fhir-portal.js';
import { freePorts, type TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const jwtApp = { ...publicApp, clientId: 'jwt-app', requireConsent: false, accessTokenType: 'Jwt' };
const referenceApp = { ...jwtApp, clientId: 'reference-app', accessTokenType: 'Reference' };
const disabledApp = { ...jwtApp, clientId: 'disabled-app' };
const service = { ...backendService, clientId: 'service', accessTokenType: 'Jwt' };
const resourceServer = { ...backendService, clientId: 'resource-server', allowIntrospection: true };
const newPassword = 'willow-harbour-3075';

let folder: string;
let ports: number[];
let issuer: string;
let portal: TestPortal | undefined;
/** By what has become of it after the backup. */
const tokens: Record<string, Tokens> = {};
const sessions: Record<string, Agent> = {};
const cookies: Record<string, [name: string, value: string][]> = {};

const asService = { headers: basicAuthorization(service.clientId, sharedSecret) };
const agent = () => new Agent(issuer);
const appOf = (client: { clientId: string }) => new SmartApp({ issuer, fhirBase: `${issuer}/fhir` }, { client });

async function ofService(): Promise<Tokens> {
  const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
  return (await agent().postForm('/connect/token', form, asService)).json<Tokens>();
}

/** True for an access token that a resource server accepts. */
async function isActive(token: string): Promise<boolean> {
  const headers = basicAuthorization(resourceServer.clientId, sharedSecret);
  return (await agent().postForm('/connect/introspect', { token }, { headers })).json<{ active: boolean }>().active;
}

/** With the cookies of the time of the backup, as a copy of them would be used: the browser itself forgets them. */
async function isSignedIn(cookies: [name: string, value: string][]): Promise<boolean> {
  const browser = agent();
  for (const [name, value] of cookies) browser.cookies.set(name, value);
  return (await browser.get('/api/session')).status === 200;
}
const canSignIn = async (password: string) =>
  (await agent().post('/api/session/login', { username: people.patient.email, password })).status === 200;

async function signedIn(): Promise<Agent> {
  const browser = agent();
  await login(browser, people.patient);
  return browser;
}

/** Starts a portal on the restored database, at the address of the one that was backed up. */
async function restored(endsIssued: boolean): Promise<RestoredBackup> {
  await portal?.close();
  const database = await createDatabase({ empty: true });
  const result = await restore(database.connection, join(folder, 'portal.backup'), { endsIssued });
  portal = await startFhirPortal({ ports, filled: { database, masterKey } });
  return result;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-issued-'));
  ports = await freePorts(1);
  issuer = `http://localhost:${ports[0]}`;
  const clients = [jwtApp, referenceApp, disabledApp, service, resourceServer];
  const database = await createDatabase();
  portal = await startFhirPortal({
    ports,
    filled: { database, masterKey },
    config: { clients, users: [people.patient, people.admin] },
  });

  for (const { clientId } of [jwtApp, referenceApp, disabledApp])
    tokens[`revoked of ${clientId}`] = await appOf({ clientId }).tokens(people.patient);
  tokens.refreshed = await appOf(jwtApp).tokens(people.patient);
  tokens['revoked of the service'] = await ofService();
  for (const name of ['signed out', 'password changed', 'ended by a change of the password']) {
    sessions[name] = await signedIn();
    cookies[name] = [...sessions[name].cookies];
  }

  await backUp(database.connection, join(folder, 'portal.backup'));

  tokens['issued since'] = await appOf(jwtApp).tokens(people.patient);
  tokens['issued since to the service'] = await ofService();
  await appOf(jwtApp).refresh(tokens.refreshed.refresh_token ?? '');
  for (const { clientId } of [jwtApp, referenceApp])
    await appOf({ clientId }).revoke(tokens[`revoked of ${clientId}`]?.refresh_token ?? '');
  await portal.apps[0]?.get(ClientManagement, { strict: false }).disableClient(disabledApp.clientId);
  const revoked = { token: tokens['revoked of the service'].access_token };
  await agent().postForm('/connect/revocation', revoked, asService);
  await sessions['signed out']?.post('/api/session/logout', {});
  const changed = { currentPassword: people.patient.password, newPassword };
  await sessions['password changed']?.post('/api/user/reset-password', changed);
});

afterAll(async () => {
  await portal?.close();
  await rm(folder, { recursive: true, force: true });
});

/** For the readiness report. */
const notes = () => (portal as TestPortal).query<{ name: string }>('SELECT name FROM readiness_note');
const stateOf = async () => {
  const states: Record<string, unknown> = {};
  for (const [name, { access_token, refresh_token }] of Object.entries(tokens)) {
    states[name] = await isActive(access_token);
    if (refresh_token === undefined) continue;
    const client = [referenceApp, disabledApp].find(({ clientId }) => name.endsWith(clientId)) ?? jwtApp;
    states[`${name}, refresh`] = (await appOf(client).refresh(refresh_token)).status === 200;
  }
  for (const [name, copied] of Object.entries(cookies)) states[name] = await isSignedIn(copied);
  return states;
};

describe('Access that was issued before a backup, or after it', () => {
  it('has ended in the installation from before, as far as it was ended', async () => {
    expect(await stateOf()).toMatchObject({
      'revoked of jwt-app': false,
      'revoked of jwt-app, refresh': false,
      'revoked of reference-app': false,
      'revoked of disabled-app': false,
      'revoked of disabled-app, refresh': false,
      'revoked of the service': false,
      'issued since': true,
      'issued since to the service': true,
      'signed out': false,
      'ended by a change of the password': false,
    });
  });

  it('is not accepted after a restore that ends everything', async () => {
    const result = await restored(true);
    const states = await stateOf();
    expect(states).toEqual(Object.fromEntries(Object.keys(states).map((name) => [name, false])));
    expect(result.ended).toMatchObject({ sessions: expect.any(Number), grants: expect.any(Number) });
    expect(await notes()).toEqual([{ name: 'restored' }]);
    // Users, apps and services begin again.
    expect(await isActive((await ofService()).access_token)).toBe(true);
    expect(await isActive((await appOf(jwtApp).tokens(people.patient)).access_token)).toBe(true);
    const summary = restoreSummary('2026-11-24T18:00:00.000Z', result);
    expect(summary).toContain('Everything that was issued has ended');
    expect(summary).not.toContain('is accepted again until it expires');
  });

  it('leaves passwords and clients as they were at the time of the backup, and the summary says so', async () => {
    expect([await canSignIn(people.patient.password), await canSignIn(newPassword)]).toEqual([true, false]);
    expect(await isActive((await appOf(disabledApp).tokens(people.patient)).access_token)).toBe(true);
    const told = restoreSummary('2026-11-24T18:00:00.000Z', {
      ...({} as RestoredBackup),
      tables: 1,
      rows: 1,
      ended: undefined,
      skipped: [],
      migrated: [],
      waitingDeletions: 2,
    });
    expect(told).toContain('clients that were disabled or deleted: npx gatehouse client disable <client_id>');
    expect(told).toContain(
      'passwords, passkeys, authenticator apps, recovery codes, and secrets and keys of clients are those of the backup',
    );
    expect(told).toContain('2 accounts will be deleted on the day');
  });

  it('is accepted again after a restore that keeps it, as the summary says', async () => {
    const result = await restored(false);
    expect(await notes()).toEqual([]);
    expect(await stateOf()).toMatchObject({
      'revoked of jwt-app': true,
      'revoked of jwt-app, refresh': true,
      'revoked of reference-app': true,
      'revoked of reference-app, refresh': true,
      'revoked of disabled-app': true,
      'revoked of disabled-app, refresh': true,
      'refreshed, refresh': true,
      'revoked of the service': true,
      'issued since to the service': true,
      'signed out': true,
      'password changed': true,
      'ended by a change of the password': true,
      // Its grant is not in the backup.
      'issued since': false,
      'issued since, refresh': false,
    });
    const summary = restoreSummary('2026-11-24T18:00:00.000Z', result);
    for (const line of [
      'sessions that have ended by a sign-out',
      'refresh tokens that were replaced, and access tokens that were revoked',
      'JWT access tokens of services that were issued since',
    ])
      expect(summary).toContain(line);
  });
});
