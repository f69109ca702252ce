import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import type { LaunchContextRequest } from '../../src/contract/launch-context.js';
import { FhirServerStatus } from '../../src/fhir-server/application/fhir-server-status.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import { basicAuthorization, type Launch, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { confidentialApp, publicApp, sharedSecret } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

const trustedApp = { ...publicApp, clientId: 'trusted-app', requireConsent: false };
const legacyApp = { ...trustedApp, clientId: 'legacy-app', enableLegacyFhirContext: true };
const referenceApp = { ...trustedApp, clientId: 'reference-app', accessTokenType: 'Reference' };
const introspector = { ...confidentialApp, clientId: 'introspector', allowIntrospection: true };

let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: Object.values(people),
      clients: [publicApp, trustedApp, legacyApp, referenceApp, introspector],
    },
  });
  await untilLoaded();
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

afterEach(() => {
  fhirServer.behaviour = 'well';
});

/** Waits until the server's CapabilityStatement has been read, which names further types. */
async function untilLoaded(): Promise<void> {
  const status = portal.apps[0]?.get(FhirServerStatus, { strict: false });
  while (!status?.resourceTypes()) await sleep(50);
}

const wantsPatient = 'openid fhirUser launch/patient patient/*.rs offline_access';
const wantsBoth = `${wantsPatient} launch/encounter`;

/** Signs in for an app's request, which leads to the launch-context page. */
function atChoice(launch: Launch = {}, browser = new Agent(portal.issuer), person = people.practitioner) {
  return ContextChoice.reach(portal, { client: trustedApp, scope: wantsPatient, ...launch }, person, browser);
}

describe('A practitioner who opens an app', () => {
  it('sees the patients, with the configured columns or the standard ones', async () => {
    const choice = await atChoice();
    expect(choice.page.pathname).toBe('/user/launch-context');
    const answer = (await choice.request()).json<LaunchContextRequest>();
    expect(answer.clientName).toBe(trustedApp.clientName);
    expect(answer.resourceData).toEqual([
      {
        name: 'Patient',
        columns: ['Name', 'Date of birth', 'Gender', 'Record number'],
        data: [
          {
            id: 'Patient/1',
            properties: {
              Name: 'Amelia Jane Ward',
              'Date of birth': '1948-03-14',
              Gender: 'Female',
              'Record number': 'NB204118',
            },
          },
          {
            id: 'Patient/2',
            properties: { Name: 'Noah Reed', 'Date of birth': '', Gender: 'Male', 'Record number': '2' },
          },
          { id: 'Patient/3', properties: { Name: '', 'Date of birth': '', Gender: '', 'Record number': '3' } },
        ],
        next: null,
        isCut: false,
        searchable: false,
        ofPatient: false,
      },
    ]);
  });

  it('finds the request without a returnUrl while it is the only one in the browser', async () => {
    const choice = await atChoice();
    const { browser } = choice.app;
    await choice.request();
    expect((await browser.get('/api/launch-context')).json()).toHaveProperty('resourceData');
    await atChoice({}, browser);
    expect((await browser.get('/api/launch-context')).status).toBe(400);
    expect((await browser.post('/api/launch-context', [])).status).toBe(400);
  });

  it('SMART launch-practitioner SMART context-patient R159 R164 gets the chosen patient in response, token, introspection and refresh, with the banner', async () => {
    const choice = await atChoice();
    await choice.request();
    const chosen = await choice.choose(['Patient/2']);
    expect(chosen.status).toBe(200);
    expect(chosen.json()).toMatchObject({ resourceData: [{ name: 'Patient', data: [{ id: 'Patient/2' }] }] });
    const tokens = await choice.tokens();
    expect(tokens).toMatchObject({ scope: wantsPatient, patient: '2', need_patient_banner: true });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ patient: '2', need_patient_banner: true });
    expect(await introspected(tokens)).toMatchObject({ active: true, patient: '2', need_patient_banner: true });
    const refreshed = await choice.app.refresh(tokens.refresh_token ?? '');
    expect(refreshed.json()).toMatchObject({ patient: '2', need_patient_banner: true });
  });

  it('gets the chosen patient with a reference token, too', async () => {
    const choice = await atChoice({ client: referenceApp });
    await choice.request();
    await choice.choose(['Patient/1']);
    expect(await introspected(await choice.tokens())).toMatchObject({ active: true, patient: '1' });
  });

  it('chooses again for each launch: a second launch in the same browser never returns the first patient', async () => {
    const browser = new Agent(portal.issuer);
    const first = await atChoice({}, browser);
    await first.request();
    await first.choose(['Patient/1']);
    expect((await first.tokens()).patient).toBe('1');
    const second = await atChoice({}, browser);
    expect(second.page.pathname).toBe('/user/launch-context');
    await second.request();
    await second.choose(['Patient/2']);
    expect((await second.tokens()).patient).toBe('2');
  });

  it('chooses before consenting, and the patient is not returned when consent leaves it out', async () => {
    const choice = await atChoice({ client: publicApp, scope: wantsBoth });
    await choice.request();
    await choice.request({ patient: 'Patient/1' });
    await choice.choose(['Patient/1', 'Encounter/visit-2']);
    const page = await choice.nextPage();
    expect(page.pathname).toBe('/user/consent');
    const returnUrl = page.searchParams.get('returnUrl') ?? '';
    const offered = await choice.app.offeredScopes(returnUrl);
    expect(offered).toEqual(expect.arrayContaining(['launch/patient', 'launch/encounter', 'patient/*.rs']));
    await choice.app.consent(returnUrl, ['openid', 'patient/*.rs']);
    const landed = new URL(await choice.app.follow(returnUrl));
    const tokens = (await choice.app.exchange(landed.searchParams.get('code') ?? '')).json();
    expect(tokens).toMatchObject({ scope: 'openid patient/*.rs', patient: '1' });
    expect(tokens).not.toHaveProperty('encounter');
  });

  it('A-25 cannot choose with prompt=none: interaction_required', async () => {
    const choice = await atChoice();
    const silent = new SmartApp(
      portal,
      { client: trustedApp, scope: wantsPatient, parameters: { prompt: 'none' } },
      choice.app.browser,
    );
    const landed = new URL((await silent.authorize()).location ?? '');
    expect(landed.searchParams.get('error')).toBe('interaction_required');
  });
});

describe('Several resource types of a launch context', () => {
  it('are offered in order, encounters once a patient is chosen', async () => {
    const choice = await atChoice({ scope: wantsBoth });
    const [patients, visits] = await choice.contextTypes();
    expect([patients?.name, visits?.name]).toEqual(['Patient', 'Encounter']);
    expect(visits).toMatchObject({ ofPatient: true, data: [] });
    const [, ofFirst] = await choice.contextTypes({ patient: 'Patient/1' });
    expect(ofFirst?.columns).toEqual(['Visit', 'Started', 'Status', 'Class']);
    expect(ofFirst?.data).toEqual([
      {
        id: 'Encounter/visit-1',
        properties: { Visit: 'Check-up', Started: '2026-02-03T09:15:00Z', Status: 'In progress', Class: 'ambulatory' },
      },
      expect.objectContaining({ id: 'Encounter/visit-2' }),
    ]);
  });

  it('SMART launch-encounter are chosen together', async () => {
    const choice = await atChoice({ scope: wantsBoth });
    await choice.request();
    await choice.request({ patient: 'Patient/1' });
    expect((await choice.choose(['Patient/1', 'Encounter/visit-2'])).status).toBe(200);
    const tokens = await choice.tokens();
    expect(tokens).toMatchObject({ patient: '1', encounter: 'visit-2' });
    expect(tokens.scope.split(' ')).toContain('launch/encounter');
    expect(tokens).not.toHaveProperty('fhirContext');
    expect(await introspected(tokens)).toMatchObject({ patient: '1', encounter: 'visit-2' });
  });

  it('R177 are returned in fhirContext: objects, or strings for a client of SMART 2.0', async () => {
    for (const [client, fhirContext] of [
      [trustedApp, [{ reference: 'ImagingStudy/study-1' }]],
      [legacyApp, ['ImagingStudy/study-1']],
    ] as const) {
      const choice = await atChoice({ client, scope: `${wantsPatient} launch/imagingstudy` });
      await choice.request();
      await choice.request({ patient: 'Patient/1' });
      expect((await choice.choose(['Patient/1', 'ImagingStudy/study-1'])).status).toBe(200);
      const tokens = await choice.tokens();
      expect(tokens.fhirContext).toEqual(fhirContext);
      expect(decodeJwt(tokens.access_token).fhirContext).toEqual(fhirContext);
      expect((await introspected(tokens)).fhirContext).toEqual(fhirContext);
    }
  });

  it('are neither offered nor granted when the server does not have them', async () => {
    const choice = await atChoice({ scope: `${wantsPatient} launch/spaceship` });
    expect((await choice.contextTypes()).map(({ name }) => name)).toEqual(['Patient']);
    await choice.choose(['Patient/1']);
    expect((await choice.tokens()).scope).toBe(wantsPatient);
  });
});

describe('A user who skips the launch context', () => {
  it('O-04 gets no launch/patient and no patient/ scope', async () => {
    const choice = await atChoice();
    await choice.request();
    expect((await choice.choose([])).status).toBe(200);
    const tokens = await choice.tokens();
    expect(tokens.scope).toBe('openid fhirUser offline_access');
    expect(tokens).not.toHaveProperty('patient');
    expect(tokens).not.toHaveProperty('need_patient_banner');
  });

  it('gets invalid_scope when no scope is left', async () => {
    const choice = await atChoice({ scope: 'launch/patient patient/*.rs' });
    await choice.request();
    await choice.choose([]);
    expect((await choice.nextPage()).searchParams.get('error')).toBe('invalid_scope');
  });

  it('may skip one type and choose another', async () => {
    const choice = await atChoice({ scope: wantsBoth });
    await choice.request();
    await choice.choose(['Patient/3']);
    const tokens = await choice.tokens();
    expect(tokens.patient).toBe('3');
    expect(tokens.scope.split(' ')).not.toContain('launch/encounter');
    expect(tokens).not.toHaveProperty('encounter');
  });
});

describe('O-01 A resource that was not offered in this request', () => {
  it.each([
    [['Patient/4']],
    [['Patient/2,3']],
    [['../Patient/1']],
    [['http://evil.example/Patient/1']],
    [['1']],
    [['Patient/1', 'Patient/2']],
    [['Patient/1', 'Patient/1']],
    [['Patient/1', 'Encounter/visit-3']],
    [['Encounter/visit-1']],
    [[1]],
    [{ resourceIds: ['Patient/1'] }],
    ['Patient/1'],
    [null],
  ])('cannot be chosen, and the request stays unchanged: %j', async (ids) => {
    const choice = await atChoice({ scope: wantsBoth });
    await choice.request();
    await choice.request({ patient: 'Patient/1' });
    expect((await choice.choose(JSON.parse(JSON.stringify(ids)))).status).toBe(400);
    expect((await choice.choose(['Patient/2'])).status).toBe(200);
    expect((await choice.tokens()).patient).toBe('2');
  });

  it('N-04 is recorded, as is the chosen one', async () => {
    const choice = await atChoice();
    await choice.request();
    await choice.choose(['Patient/4']);
    await choice.choose(['Patient/2']);
    const events = await portal.query(
      "SELECT outcome, client_id, detail - 'launch' AS detail FROM audit_event WHERE type = 'launch-context.chosen' ORDER BY id DESC LIMIT 2",
    );
    expect(events).toEqual([
      { outcome: 'success', client_id: trustedApp.clientId, detail: { chosen: ['Patient/2'] } },
      { outcome: 'failure', client_id: trustedApp.clientId, detail: { count: 1 } },
    ]);
  });

  it('cannot be chosen or searched in before the first page was offered', async () => {
    const choice = await atChoice();
    expect((await choice.choose(['Patient/1'])).status).toBe(400);
    await choice.request();
    expect((await choice.request({ patient: 'Patient/9' })).status).toBe(400);
    expect((await choice.request({ patient: 'Encounter/visit-1' })).status).toBe(400);
  });

  it('is not offered when the server ignores the condition of the search, also one that mentions the patient', async () => {
    const choice = await atChoice({ scope: wantsBoth });
    fhirServer.behaviour = 'ignores-conditions';
    await choice.request();
    const [, visits] = await choice.contextTypes({ patient: 'Patient/1' });
    expect(visits?.data.map(({ id }) => id)).toEqual(['Encounter/visit-1', 'Encounter/visit-2']);
  });

  it('A-19 cannot be seen by another browser, another account, or after the choice', async () => {
    const choice = await atChoice();
    await choice.request();
    const stranger = await atChoice();
    const path = `/api/launch-context?returnUrl=${encodeURIComponent(choice.returnUrl)}`;
    expect((await stranger.app.browser.get(path)).status).toBe(400);
    expect((await stranger.app.browser.post(path, ['Patient/1'])).status).toBe(400);
    expect((await new Agent(portal.issuer).get(path)).status).toBe(401);
    await choice.choose(['Patient/1']);
    await choice.tokens();
    expect((await choice.request()).status).toBe(400);
    expect((await choice.choose(['Patient/2'])).status).toBe(400);
  });
});

describe('A patient who opens an app', () => {
  it('O-02 chooses among their own resources only', async () => {
    const choice = await atChoice({ scope: wantsBoth }, undefined, people.patient as never);
    const kinds = await choice.contextTypes();
    expect(kinds.map(({ name }) => name)).toEqual(['Encounter']);
    expect(kinds[0]).toMatchObject({ ofPatient: false });
    expect(kinds[0]?.data.map(({ id }) => id)).toEqual(['Encounter/visit-1', 'Encounter/visit-2']);
    await choice.choose(['Encounter/visit-1']);
    expect(await choice.tokens()).toMatchObject({ patient: '1', encounter: 'visit-1' });
  });

  it('is not offered types that cannot be limited to the patient', async () => {
    const scope = `${wantsPatient} launch/questionnaire`;
    const landed = await new SmartApp(portal, { client: trustedApp, scope }).complete(people.patient);
    expect(`${landed}`).toContain('code=');
  });
});

describe('While the FHIR server fails', () => {
  it.each(['down', 'html'] as const)(
    'R-08 (%s) the launch-context step answers 503 and can be repeated',
    async (mood) => {
      const choice = await atChoice();
      fhirServer.behaviour = mood;
      expect((await choice.request()).status).toBe(503);
      fhirServer.behaviour = 'well';
      expect((await choice.request()).status).toBe(200);
      expect((await choice.choose(['Patient/1'])).status).toBe(200);
    },
  );
});

it('SMART discovery-capabilities the SMART configuration lists the types that can be chosen, and no EHR launch', async () => {
  const answer = await new Agent(portal.issuer).get('/fhir/.well-known/smart-configuration');
  const { capabilities, scopes_supported } = answer.json<{ capabilities: string[]; scopes_supported: string[] }>();
  expect(capabilities).toEqual(
    expect.arrayContaining([
      ...['launch-standalone', 'client-public', 'client-confidential-symmetric', 'client-confidential-asymmetric'],
      ...['sso-openid-connect', 'context-standalone-patient', 'context-standalone-encounter', 'permission-offline'],
      ...['permission-online', 'permission-patient', 'authorize-post', 'permission-v2', 'permission-v1'],
    ]),
  );
  expect(capabilities.filter((capability) => /ehr/.test(capability))).toEqual([]);
  expect(scopes_supported).toEqual(expect.arrayContaining(['launch/patient', 'launch/encounter']));
  expect(scopes_supported).not.toContain('launch');
});

async function introspected({ access_token: token }: Tokens): Promise<Record<string, unknown>> {
  const headers = basicAuthorization(introspector.clientId, sharedSecret);
  return (await new Agent(portal.issuer).postForm('/connect/introspect', { token }, { headers })).json();
}
