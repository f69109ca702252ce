import { decodeJwt } from 'jose';
import { AuditSeals } from '../../../src/audit/domain/audit-seals.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { Flow } from '../../support/apps/flow.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { backendService, publicApp, sharedSecret } from '../../support/clients/clients.js';
import { createOldDatabase, oldMasterKey, oldRows } from '../../support/database/old-rows.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { Agent } from '../../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../../support/mail-sink.js';
import { freePorts, startPortal, type TestPortal } from '../../support/portal/portal.js';
import { until } from '../../support/until.js';
import { authenticatorCode, login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

/** A FHIR server that takes batches. */
function answerTo(body: string) {
  if (body.startsWith('{')) {
    const entry = JSON.parse(body).entry.map(() => ({ response: { status: '201 Created' } }));
    return { resourceType: 'Bundle', type: 'batch-response', entry };
  }
  const resource = [{ type: 'Patient' }, { type: 'Observation' }];
  return { resourceType: 'CapabilityStatement', fhirVersion: '4.0.1', rest: [{ mode: 'server', resource }] };
}

describe.each(oldRows())('R-11 After the migration of a filled database with $name', (rows) => {
  const { facts } = rows;
  let portal: TestPortal;
  let sink: MailSink;
  let app: Upstream;
  let fhir: Upstream;
  /** The number of waiting jobs in each table before the migration. */
  let waiting: Record<string, number>;

  beforeAll(async () => {
    sink = await startMailSink();
    app = await startUpstream((_request, response) => response.end());
    fhir = await startUpstream((_request, response, body) =>
      response.setHeader('Content-Type', 'application/fhir+json').end(JSON.stringify(answerTo(body))),
    );
    const ports = await freePorts(1);
    const database = await createOldDatabase(rows, `http://localhost:${ports[0]}`, Number(new URL(app.url).port));
    waiting = Object.fromEntries(
      ['mail_outbox', 'backchannel_logout', 'audit_post'].map((table) => [
        table,
        rows.sql.split(`INSERT INTO ${table} `).length - 1,
      ]),
    );
    await migrate(database.connection);
    portal = await startPortal({
      ports,
      filled: { database, masterKey: oldMasterKey },
      config: {
        email: sink.config,
        outbound: { allowedPrivateHosts: ['localhost'] },
        fhir: { baseUrl: fhir.url },
        gateway: { postAuditEvents: true },
      },
    });
  });

  afterAll(async () => {
    await portal.close();
    await sink.stop();
    app.close();
    fhir.close();
  });

  const signedIn = async (person: { email: string; password: string }) => {
    const agent = new Agent(portal.issuer);
    expect((await login(agent, person)).status).toBe(200);
    return agent;
  };

  it.each(['admin', 'patient', 'practitioner'] as const)('the %s signs in with the same password', async (name) => {
    const session = (await (await signedIn(people[name])).get('/api/session')).json();
    const { fullName, email, userType } = people[name];
    expect(session).toMatchObject({ fullName, email, userType });
  });

  it('a signed-in user is still signed in', async () => {
    const agent = new Agent(portal.issuer);
    for (const [name, value] of facts.cookies) agent.cookies.set(name, value);
    const answer = await agent.get('/api/session');
    expect([answer.status, answer.json().email]).toEqual([200, people.patient.email]);
  });

  it('a second factor is required and accepted, by authenticator and by recovery code', async () => {
    const { key, recoveryCode } = facts.secondFactor;
    for (const [path, body, status] of [
      ['/api/twofactor/verify', { verificationCode: authenticatorCode(key) }, 204],
      ['/api/twofactor/verify-recovery', { recoveryCode }, 200],
    ] as const) {
      const agent = await signedIn(people.otherPatient);
      expect((await agent.get('/api/session')).status).toBe(401);
      expect([path, (await agent.post(path, body)).status]).toEqual([path, status]);
      expect((await agent.get('/api/session')).json().email).toBe(people.otherPatient.email);
    }
  });

  it('a refresh token returns the same access', async () => {
    const answer = await new SmartApp(portal, { client: publicApp }).refresh(facts.refreshToken);
    expect([answer.status, answer.json()]).toEqual([
      200,
      expect.objectContaining({ scope: facts.scope, patient: '1' }),
    ]);
  });

  it('a consent is remembered', async () => {
    const flow = await Flow.begin(portal, publicApp, { scope: facts.scope });
    expect(flow.path).toBe('app');
  });

  it('a client authenticates with its secret', async () => {
    const headers = basicAuthorization(backendService.clientId, sharedSecret);
    const form = { grant_type: 'client_credentials', scope: 'system/*.rs' };
    const answer = await new Agent(portal.issuer).postForm('/connect/token', form, { headers });
    expect([answer.status, answer.json<Tokens>().scope]).toEqual([200, 'system/*.rs']);
  });

  it('users, clients and tags are found by administrators', async () => {
    const admin = await signedIn(people.admin);
    const users = (await admin.get('/api/admin/user?searchTerm=patient%2F1')).json<{ users: { email: string }[] }>();
    expect(users.users.map(({ email }) => email)).toEqual([people.patient.email]);
    const found = (await admin.get('/api/admin/client?searchTerm=heart')).json<{
      clients: { clientId: string; clientTags: { value: string }[] }[];
    }>();
    expect(found.clients.map(({ clientId, clientTags }) => [clientId, clientTags.map(({ value }) => value)])).toEqual([
      [publicApp.clientId, ['Cardiology']],
    ]);
  });

  it('users see the app that they authorized', async () => {
    const patient = await signedIn(people.patient);
    expect((await patient.get('/api/grant')).text).toContain(publicApp.clientName);
  });

  it('a waiting mail is sent, and its link works', async () => {
    expect(waiting.mail_outbox).toBeGreaterThan(0);
    const { u, t: token } = linkInMail(await sink.to(people.practitioner.email));
    const body = { password: 'violet kettle seventeen', token };
    const path = `/api/user/forgot-password/${u}/reset`;
    const answer = await new Agent(portal.issuer).send(path, { method: 'PUT', body });
    expect([answer.status, answer.text]).toEqual([204, '']);
    await until(() => Promise.resolve(sink.received.length >= (waiting.mail_outbox ?? 0)));
  });

  it('a waiting logout notification is sent to its app', async () => {
    expect(waiting.backchannel_logout).toBe(1);
    await until(() => Promise.resolve(app.requests.length > 0));
    const token = new URLSearchParams(app.requests[0]?.body).get('logout_token') ?? '';
    expect(decodeJwt(token)).toMatchObject({ aud: 'leaving-app', iss: portal.issuer, sid: expect.any(String) });
  });

  it('a waiting AuditEvent is sent to the FHIR server', async () => {
    expect(waiting.audit_post).toBe(1);
    await until(() => Promise.resolve(fhir.requests.some(({ body }) => body.includes('AuditEvent'))));
    expect(fhir.requests.find(({ body }) => body.includes('AuditEvent'))?.body).toContain('Observation/o1');
  });

  it('the audit record is valid', async () => {
    const seals = portal.apps[0]?.get(AuditSeals, { strict: false });
    await seals?.seal();
    expect((await seals?.verify())?.problems).toEqual([]);
  });
});
