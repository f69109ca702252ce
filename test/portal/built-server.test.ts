import pg from 'pg';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import type { LaunchContextRequest } from '../../src/contract/launch-context.js';
import type { ProblemBody } from '../../src/contract/problem.js';
import type { UserView } from '../../src/contract/users/users.js';
import { Flow } from '../support/apps/flow.js';
import { SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { createDatabase } from '../support/database/database.js';
import { Agent } from '../support/http/agent.js';
import { linkInMail, type MailSink, startMailSink } from '../support/mail-sink.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';
import { authenticatorCode, enableTwoFactor, login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const disclaimer = {
  id: 'use',
  description: 'Portal use',
  html: '<p>Be careful.<script>alert(1)</script></p>',
  clients: [],
  everyLogin: false,
};
const scope = 'openid fhirUser launch/patient patient/*.rs offline_access';
const chosenPassword = 'copper-meadow-8841';

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let database: Awaited<ReturnType<typeof createDatabase>>;
let mails: MailSink;
let process: PortalProcess;
let portal: { issuer: string; fhirBase: string };

beforeAll(async () => {
  [fhirServer, database, mails] = await Promise.all([startFhirServer({ port: 0 }), createDatabase(), startMailSink()]);
  const [port = 0] = await freePorts(1);
  process = await PortalProcess.start({
    database: database.connection,
    port,
    config: {
      fhir: { baseUrl: fhirServer.url },
      email: mails.config,
      users: [people.admin],
      clients: [publicApp],
      disclaimers: [disclaimer],
      logging: { level: 'info' },
    },
  });
  portal = { issuer: process.issuer, fhirBase: `${process.issuer}/fhir` };
});

afterAll(async () => {
  await process.end('SIGTERM');
  await Promise.all([fhirServer.close(), database.drop(), mails.stop()]);
});

/** An invited practitioner, who has chosen a password by the mailed link. */
async function invitedPractitioner(): Promise<{ email: string; password: string }> {
  const admin = new Agent(portal.issuer);
  await login(admin, people.admin);
  const form = { fullName: 'Mira Hart', email: people.practitioner.email, userType: 'Practitioner' };
  const claims = [{ name: 'fhirUser', value: 'Practitioner/practitioner-1' }];
  const { id } = (await admin.post('/api/admin/user', { ...form, claims })).json<UserView>();
  const { t: token } = linkInMail(await mails.to(form.email));
  const body = { password: chosenPassword, token };
  expect((await new Agent(portal.issuer).post(`/api/user/${id}/activate`, body)).status).toBe(204);
  return { email: form.email, password: chosenPassword };
}

describe('The built server', () => {
  it('serves an app, its user and the administrator, from the invitation to the record', async () => {
    const person = await invitedPractitioner();
    const browser = new Agent(portal.issuer);
    await login(browser, person);
    const { key } = await enableTwoFactor(browser);
    expect((await login(browser, person)).json()).toEqual({ is2faEnabled: true });
    // The code of this step was used to turn two-factor authentication on.
    const verificationCode = authenticatorCode(key, 1);
    expect((await browser.post('/api/twofactor/verify', { verificationCode })).status).toBe(204);
    const flow = await Flow.begin(portal, publicApp, { browser, person, scope });

    expect(flow.path).toBe('/user/disclaimer');
    expect((await flow.disclaimers()).map(({ disclaimerHtml }) => disclaimerHtml)).toEqual(['<p>Be careful.</p>']);
    await flow.agreeToAll();

    expect(flow.path).toBe('/user/launch-context');
    const [patients] = (await flow.call('/api/launch-context')).json<LaunchContextRequest>().resourceData;
    expect(patients?.columns).toEqual(['Name', 'Date of birth', 'Gender', 'Record number']);
    const patient = patients?.data[0]?.id ?? '';
    expect((await flow.call('/api/launch-context', { method: 'POST', body: [patient] })).status).toBe(200);
    await flow.followToNextPage();

    expect(flow.path).toBe('/user/consent');
    await flow.app.consent(flow.returnUrl, await flow.app.offeredScopes(flow.returnUrl));
    await flow.followToNextPage();
    const code = flow.page.searchParams.get('code') ?? '';
    const tokens = (await flow.app.exchange(code)).json<Tokens>();
    expect(tokens).toMatchObject({ scope, patient: patient.split('/')[1] });
    const refreshed = (await flow.app.refresh(tokens.refresh_token ?? '')).json<Tokens>();

    const record = await fetch(`${portal.fhirBase}/${patient}`, {
      headers: { authorization: `Bearer ${refreshed.access_token}` },
    });
    expect([record.status, await record.json()]).toEqual([200, expect.objectContaining({ resourceType: 'Patient' })]);
  });

  it('refuses fields, tokens and requests with the errors of the API, of OAuth and of the gateway', async () => {
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    const claims = [{ name: 'fhirUser', value: 'Patient/1' }];
    const refused = await admin.post('/api/admin/user', { fullName: '', email: 'none', userType: 'Patient', claims });
    expect([refused.status, refused.json<ProblemBody & Record<string, unknown>>().errors]).toEqual([
      400,
      [
        { field: 'email', messages: ['The Email field is not a valid e-mail address'] },
        { field: 'fullName', messages: ['Field is required'] },
      ],
    ]);
    const token = await new SmartApp(portal).token({ grant_type: 'authorization_code', code: 'unknown' });
    expect([token.status, token.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })]);
    const record = await fetch(`${portal.fhirBase}/Patient/1`, { headers: { authorization: 'Bearer unknown' } });
    expect(record.status).toBe(401);
  });

  it('stores passwords at the cost of the product, which portals within the tests do not have', async () => {
    const client = new pg.Client(database.connection);
    await client.connect();
    try {
      const { rows } = await client.query('SELECT DISTINCT substr(password_hash, 1, 29) AS cost FROM account');
      expect(rows).toEqual([{ cost: '$argon2id$v=19$m=19456,t=2,p=' }]);
    } finally {
      await client.end();
    }
  });
});
