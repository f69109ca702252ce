import type { AccessDetail } from '../../../src/contract/audit/access-detail.js';
import { ContextChoice } from '../../support/apps/context-choice.js';
import { basicAuthorization, SmartApp, type Tokens } from '../../support/apps/smart-app.js';
import { publicApp } from '../../support/clients/clients.js';
import { startUpstream, type Upstream } from '../../support/fhir/gateway.js';
import { observationOf, searchset, sendFhir } from '../../support/fhir/scripted-server.js';
import { Agent } from '../../support/http/agent.js';
import { untilFhirServerIsAvailable } from '../../support/portal/fhir-portal.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };
const appOf = (accessTokenType: string, requireConsent: boolean) => ({
  ...publicApp,
  ...{ clientId: `app-${accessTokenType}-${requireConsent}`, accessTokenType, requireConsent },
});
const apps = ['Jwt', 'Reference'].flatMap((format) => [true, false].map((consent) => appOf(format, consent)));
const practitioner = people.practitioner.claims.find(({ name }) => name === 'fhirUser')?.value ?? '';
const patientOf = (id: string) => ({
  ...{ resourceType: 'Patient', id },
  generalPractitioner: [{ reference: practitioner }],
});
const searchParam = ['general-practitioner', 'patient', 'code'].map((name) => ({ name, type: 'reference' }));
const metadata = {
  resourceType: 'CapabilityStatement',
  fhirVersion: '4.0.1',
  rest: [{ mode: 'server', resource: ['Patient', 'Observation'].map((type) => ({ type, searchParam })) }],
};

describe.each([
  ['all', {}],
  ['general-practitioner', { panel: 'general-practitioner' }],
] as const)('The record of an access by a practitioner (fhir.panel: %s)', (panel, checked) => {
  let upstream: Upstream;
  let portal: TestPortal;

  beforeAll(async () => {
    upstream = await startUpstream(({ url = '' }, response) => {
      const [path = ''] = url.split('?');
      if (path.endsWith('/metadata')) return sendFhir(response, metadata);
      const found = path.endsWith('/Patient') ? ['1', '2'].map(patientOf) : ['1'].map((id) => observationOf(id));
      sendFhir(response, searchset(found));
    });
    portal = await startPortal({
      config: {
        fhir: { baseUrl: upstream.url, panel },
        ehr: { callers: [ehr] },
        users: Object.values(people),
        clients: apps,
      },
    });
    const admin = new Agent(portal.issuer);
    await login(admin, people.admin);
    await untilFhirServerIsAvailable(admin);
  });

  afterAll(async () => {
    await portal.close();
    upstream.close();
  });

  async function recorded({ access_token: token }: Tokens): Promise<AccessDetail> {
    const answer = await fetch(`${portal.fhirBase}/Observation?code=x`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    const [row] = await portal.query<{ detail: AccessDetail }>(
      "SELECT detail FROM audit_event WHERE type = 'record.accessed' AND correlation_id = $1",
      [answer.headers.get('x-correlation-id')],
    );
    if (!row) throw new Error('the access is not recorded');
    return row.detail;
  }

  const launchOf = async () => {
    const headers = basicAuthorization(ehr.id, ehr.secret);
    const answer = await new Agent(portal.issuer).postForm('/connect/launchContext', { patient: '1' }, { headers });
    return answer.json<{ launchContextIdentifier: string }>().launchContextIdentifier;
  };

  /** The tokens after the consent page, where the app has one. */
  const tokensOf = async (app: SmartApp, at: URL): Promise<Tokens> => {
    let landed = at;
    if (landed.pathname === '/user/consent') {
      const returnUrl = landed.searchParams.get('returnUrl') ?? '';
      expect((await app.consent(returnUrl, await app.offeredScopes(returnUrl))).status).toBe(204);
      landed = new URL(await app.follow(returnUrl));
    }
    return (await app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
  };

  describe.each(apps)('with $clientId', (client) => {
    it('says that the practitioner chose the patient, also after a refresh', async () => {
      const scope = 'openid launch/patient patient/*.rs offline_access';
      const choice = await ContextChoice.reach(portal, { client, scope }, people.practitioner);
      await choice.contextTypes();
      expect((await choice.choose(['Patient/1'])).status).toBe(200);
      const tokens = await tokensOf(choice.app, await choice.nextPage());
      const source = { by: 'practitioner', ...checked };
      expect(await recorded(tokens)).toMatchObject({ patient: '1', patientSource: source });
      const renewed = (await choice.app.refresh(tokens.refresh_token ?? '')).json<Tokens>();
      expect((await recorded(renewed)).patientSource).toEqual(source);
    });

    it('says that the EHR opened the app for the patient', async () => {
      const parameters = { launch: await launchOf() };
      const app = new SmartApp(portal, { client, scope: 'launch openid patient/*.rs', parameters });
      const returnUrl = await app.begin();
      await app.signIn(people.practitioner, returnUrl);
      const tokens = await tokensOf(app, new URL(await app.follow(returnUrl)));
      expect(await recorded(tokens)).toMatchObject({ patient: '1', patientSource: { by: 'ehr', ...checked } });
    });

    it('says nothing where the app has no patient in context', async () => {
      const app = new SmartApp(portal, { client, scope: 'openid user/*.rs' });
      const returnUrl = await app.begin();
      await app.signIn(people.practitioner, returnUrl);
      const detail = await recorded(await tokensOf(app, new URL(await app.follow(returnUrl))));
      expect([detail.patients, detail.patientSource]).toEqual([['1'], undefined]);
    });

    it('says nothing about a patient with their own record', async () => {
      const app = new SmartApp(portal, { client, scope: 'openid launch/patient patient/*.rs' });
      const returnUrl = await app.begin();
      await app.signIn(people.patient, returnUrl);
      const detail = await recorded(await tokensOf(app, new URL(await app.follow(returnUrl))));
      expect([detail.patient, detail.patientSource]).toEqual(['1', undefined]);
    });
  });
});
