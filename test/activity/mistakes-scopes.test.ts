/** Scopes that were narrowed or dropped: the launch's record names each, the rule and the change. */
import type { Detail } from '../../src/contract/activity/cause.js';
import { managementScope } from '../../src/oidc/domain/access-tokens.js';
import { launchOfAnswer } from '../support/apps/launch-entries.js';
import { basicAuthorization, SmartApp } from '../support/apps/smart-app.js';
import { alterClient, backendService, sharedSecret } from '../support/clients/clients.js';
import { Agent } from '../support/http/agent.js';
import {
  type RequestingClient,
  type RequestPortal,
  requestingClients,
  startRequestPortal,
} from '../support/mistakes/request-mistakes.js';
import { SentSecrets } from '../support/portal/recorded-secrets.js';
import { people } from '../support/users/people.js';

let at: RequestPortal;
const secrets = SentSecrets.collect();

beforeAll(async () => {
  at = await startRequestPortal();
});
afterAll(() => at.close());

interface ScopeMistake {
  scope: string;
  code: string;
  client?: RequestingClient;
  /** The entry's name for the scope, where it differs. */
  shown?: string;
  detail?: Detail;
  fix?: string;
}

const scopes: ScopeMistake[] = [
  { scope: 'patient/Observation.Read', code: 'scope-misspelled', detail: { meant: 'patient/Observation.read' } },
  { scope: 'launch/Patient', code: 'scope-misspelled', detail: { meant: 'launch/patient' } },
  { scope: 'system/Patient.search', code: 'scope-misspelled', detail: { meant: 'system/Patient.s' } },
  { scope: 'patient/Observation.sr', code: 'scope-misspelled', detail: { meant: 'patient/Observation.rs' } },
  { scope: 'Patient/observation.read', code: 'scope-misspelled', detail: { meant: 'patient/Observation.read' } },
  { scope: 'patient/Observation.1', code: 'scope-unreadable' },
  { scope: 'patient/Observation', code: 'scope-misspelled', detail: { meant: 'patient/Observation.rs' } },
  { scope: 'patient.Observation.read', code: 'scope-misspelled', detail: { meant: 'patient/Observation.read' } },
  { scope: 'Offline_Access', code: 'scope-misspelled', detail: { meant: 'offline_access' } },
  { scope: 'fhiruser', code: 'scope-misspelled', detail: { meant: 'fhirUser' } },
  {
    scope: 'patient/Observation.read?category=laboratory',
    shown: 'patient/Observation.read?category=…',
    code: 'scope-misspelled',
    detail: { meant: 'patient/Observation.rs?category=…' },
  },
  { scope: 'nonsense', code: 'scope-unreadable' },
  ...Object.entries({ ',': 'commas', '+': 'plus signs', ';': 'semicolons', '|': 'vertical lines' }).map(
    ([separator, separators]): ScopeMistake => ({
      scope: ['openid', 'fhirUser', 'patient/Observation.rs'].join(separator),
      code: 'scope-separator',
      detail: { separators },
    }),
  ),
  {
    scope: 'patient%2FObservation.rs',
    code: 'scope-damaged',
    detail: { meant: 'patient/Observation.rs', damage: 'it is percent-encoded' },
  },
  {
    scope: 'patient/Observation.rs,',
    code: 'scope-damaged',
    detail: { meant: 'patient/Observation.rs', damage: 'it has , at its end' },
  },
  { scope: 'YOUR_SCOPE', code: 'scope-placeholder' },
  { scope: managementScope, code: 'scope-management' },
  { scope: 'system/Observation.rs', code: 'scope-needs-service' },
  {
    scope: 'user/Observation.rs',
    client: 'narrow',
    code: 'scope-subject',
    detail: { subject: 'user' },
    fix: 'allowedSmartSubjects',
  },
  {
    scope: 'patient/Observation.cud',
    client: 'narrow',
    code: 'scope-actions',
    detail: { actions: 'c, u, d' },
    fix: 'allowedSmartActions',
  },
  {
    scope: 'patient/Observation.cruds',
    client: 'narrow',
    code: 'scope-actions-narrowed',
    detail: { granted: 'patient/Observation.rs', actions: 'c, u, d' },
    fix: 'allowedSmartActions',
  },
  {
    scope: 'patient/Observation.write',
    client: 'narrow',
    code: 'scope-legacy-actions',
    detail: { actions: 'write' },
    fix: 'allowedSmartLegacyActions',
  },
  {
    scope: 'patient/Observation.*',
    client: 'narrow',
    code: 'scope-legacy-actions-narrowed',
    detail: { granted: 'patient/Observation.read', actions: 'write' },
    fix: 'allowedSmartLegacyActions',
  },
  {
    scope: 'patient/Condition.rs',
    client: 'narrow',
    code: 'scope-type',
    detail: { type: 'Condition' },
    fix: 'allowedResourceTypes',
  },
  {
    scope: 'patient/*.rs',
    client: 'narrow',
    code: 'scope-types-narrowed',
    detail: { granted: 'patient/Patient.rs patient/Observation.rs', count: 2 },
    fix: 'allowedResourceTypes',
  },
  { scope: 'patient/*.$everything', client: 'narrow', code: 'scope-operation', fix: 'allowedOperationScopes' },
  { scope: 'offline_access', client: 'narrow', code: 'scope-offline', fix: 'allowOfflineAccess' },
  { scope: 'online_access', client: 'narrow', code: 'scope-online', fix: 'allowOnlineAccess' },
  { scope: 'email', client: 'narrow', code: 'scope-contact', fix: 'allowContactScopes' },
  { scope: '__special', client: 'narrow', code: 'scope-special', fix: 'allowFirelySpecialScopes' },
  { scope: '__other', client: 'narrow', code: 'scope-special-unknown', fix: 'fhir.specialScopes' },
  { scope: 'patient/Goal.rs', code: 'scope-type-unknown', detail: { type: 'Goal' }, fix: 'fhir.baseUrl' },
  {
    scope: 'patient/Patient.rs?family=Planted',
    shown: 'patient/Patient.rs?family=…',
    code: 'scope-search-parameter',
    detail: { parameter: 'family' },
  },
  {
    scope: 'patient/Condition.rs?category:not=Planted',
    shown: 'patient/Condition.rs?category:not=…',
    code: 'scope-search-parameter',
    detail: { parameter: 'category:not' },
  },
  {
    scope: 'patient/Condition.rs?category=a|Planted|b',
    shown: 'patient/Condition.rs?category=…',
    code: 'scope-category-value',
  },
  {
    scope: 'patient/Patient.rs?category=Planted',
    shown: 'patient/Patient.rs?category=…',
    code: 'scope-without-category',
    detail: { type: 'Patient' },
  },
  { scope: 'patient/Questionnaire.rs', code: 'scope-outside-record', detail: { type: 'Questionnaire' } },
  { scope: 'patient/Patient.c', code: 'scope-actions-of-record', detail: { type: 'Patient', actions: 'c' } },
  { scope: 'patient/Patient.$match', code: 'scope-operation-of-record', detail: { operation: 'match' } },
  { scope: 'user/Patient.$run', code: 'scope-operation-unknown', detail: { operation: 'run' }, fix: 'fhir.baseUrl' },
];

describe('A requested scope', () => {
  it.each(scopes)('is explained: $scope ($code)', async ({ scope, code, client, shown = scope, detail, fix }) => {
    const answer = await at.ask({ scope: `openid ${scope}` }, client);
    const { entries } = await launchOfAnswer(at.portal, answer);
    const entry = entries.find((one) => one.detail.scope === shown && one.code === code);
    expect(entries.map((one) => one.code)).toContain(code);
    expect(entry?.detail).toMatchObject({ scope: shown, ...detail });
    const { change } = entry?.texts ?? {};
    expect([change?.field ?? change?.configuration, typeof change?.text]).toEqual([fix, 'string']);
    expect(entries.map((one) => [one.code, one.detail.scope])).toContainEqual(['scope-kept', 'openid']);
    expect(JSON.stringify(entries)).not.toMatch(/\{\{|Planted|laboratory/);
  });

  it('is explained when it needs openid (scope-fhir-user-alone), and when another scope covers it', async () => {
    const answer = await at.ask({ scope: 'fhirUser patient/*.rs patient/Patient.r' });
    const { entries } = await launchOfAnswer(at.portal, answer);
    const by = Object.fromEntries(entries.map(({ code, detail }) => [String(detail.scope), [code, detail.by]]));
    expect(by.fhirUser?.[0]).toBe('scope-fhir-user-alone');
    expect(by['patient/Patient.r']).toEqual(['scope-covered', 'patient/*.rs']);
  });

  it('is noted when the client has it by default (scopes-default)', async () => {
    await alterClient(at.portal, 'public-app', { settings: { defaultScopes: ['openid', 'fhirUser'] } });
    const { entries } = await launchOfAnswer(at.portal, await at.ask({ scope: undefined }));
    await alterClient(at.portal, 'public-app', { settings: { defaultScopes: [] } });
    expect(entries.find(({ code }) => code === 'scopes-default')?.detail).toEqual({ scopes: 'openid fhirUser' });
  });

  it('is noted as kept without further entries when all are kept', async () => {
    const { entries } = await launchOfAnswer(at.portal, await at.ask({ scope: 'openid fhirUser patient/Patient.rs' }));
    const ofScopes = entries.filter(({ code }) => code.startsWith('scope'));
    expect(ofScopes.map(({ code, detail }) => [code, detail])).toEqual([['scopes-kept', { asked: 3, kept: 3 }]]);
  });

  it('is named when it is dropped because no EHR launched the app', async () => {
    const app = new SmartApp(at.portal, {
      client: requestingClients.quiet,
      scope: 'openid launch user/Patient.rs',
    });
    await app.complete(people.practitioner);
    const { headers } = await app.authorize();
    const { entries } = await launchOfAnswer(at.portal, { headers });
    const named = entries.map(({ code, detail }) => [code, detail.scope]);
    expect(named).toContainEqual(['scope-not-launched', 'launch']);
    expect(named).toContainEqual(['launch-scope-alone', undefined]);
  });

  it('is named when the user leaves it out, with the field that makes it required', async () => {
    const app = new SmartApp(at.portal, { scope: 'openid fhirUser launch/patient patient/Patient.rs' });
    const landed = await app.complete(people.patient, ['openid', 'fhirUser', 'launch/patient']);
    const answer = await app.exchange(landed.searchParams.get('code') ?? '');
    const { outcome, entries } = await launchOfAnswer(at.portal, answer);
    const entry = entries.find(({ code }) => code === 'scope-unticked');
    expect([outcome, entry?.detail, entry?.texts.change?.field]).toEqual([
      'completed',
      { scope: 'patient/Patient.rs' },
      'requiredScopes',
    ]);
  });

  it('is counted when very many are dropped (scopes-more)', async () => {
    const many = Array.from({ length: 80 }, (_, index) => `nonsense${index}`).join(' ');
    const { entries } = await launchOfAnswer(at.portal, await at.push({ scope: `openid ${many}` }));
    expect(entries.find(({ code }) => code === 'scopes-more')?.detail).toEqual({ count: 20 });
  });

  it('of 10,000 characters is cut, and control characters are shown harmlessly', async () => {
    const { entries } = await launchOfAnswer(at.portal, await at.push({ scope: `openid ${'x'.repeat(10_000)}` }));
    const entry = entries.find(({ code }) => code === 'scope-too-long');
    expect(String(entry?.detail.scope).length).toBeLessThan(400);
  });

  it.each<[scope: string, client: RequestingClient, code: string, detail: object, fix?: string]>([
    [
      'system/Patient.cud',
      'narrowService',
      'scopes-none-left',
      { reason: expect.stringContaining('actions') },
      'allowedSmartActions',
    ],
    [
      'system/Condition.rs',
      'narrowService',
      'scopes-none-left',
      { reason: expect.stringContaining('resource type') },
      'allowedResourceTypes',
    ],
    [
      'system/*.$everything',
      'narrowService',
      'scopes-none-left',
      { reason: expect.stringContaining('operation') },
      'allowedOperationScopes',
    ],
    [
      'system/Patient.search',
      'narrowService',
      'scopes-none-left',
      { remedy: 'Have the app request system/Patient.s.' },
    ],
    [
      'system/Patient.rs,system/Patient.s',
      'narrowService',
      'scopes-none-left',
      { reason: 'Scopes are separated by commas' },
    ],
    ['__other', 'narrowService', 'scopes-none-left', { configuration: 'fhir.specialScopes' }, 'fhir.specialScopes'],
    [managementScope, 'narrowService', 'scopes-none-left', { remedy: expect.stringContaining('Management API') }],
    ['', 'narrowService', 'token-scopes-missing', {}, 'defaultScopes'],
    ['openid', 'narrowService', 'scopes-need-person', { scopes: 'openid' }],
    ['system/*.rs', 'manager', 'scopes-of-management', { asked: 'system/*.rs', scope: managementScope }],
    ['', 'manager', 'scopes-of-management', { asked: 'no scope' }],
  ])(
    'of a service is explained by what dropped it, with its setting: %j of %s',
    async (scope, client, code, detail, ...[fix]) => {
      const answer = await new Agent(at.portal.issuer).postForm(
        '/connect/token',
        { grant_type: 'client_credentials', scope },
        { headers: basicAuthorization(requestingClients[client].clientId, sharedSecret) },
      );
      expect(answer.status).toBe(400);
      const { decidedBy } = await launchOfAnswer(at.portal, answer);
      expect(decidedBy).toMatchObject({ code, detail });
      const { change } = decidedBy?.texts ?? {};
      expect(change?.field ?? change?.configuration).toBe(fix);
    },
  );

  it('is explained for a service, too', async () => {
    const send = (scope: string) =>
      new Agent(at.portal.issuer).postForm(
        '/connect/token',
        { grant_type: 'client_credentials', scope },
        { headers: basicAuthorization(backendService.clientId, sharedSecret) },
      );
    const idle = 'system/Goal.rs system/Patient.rs?category=a system/Condition.rs?category:not=a';
    const answer = await send(`system/Patient.rs ${idle} system/Condition.rs?category=a%7Cb __other`);
    expect(answer.json()).toMatchObject({ scope: 'system/Patient.rs system/Condition.rs?category=a%7Cb' });
    const dropped = await launchOfAnswer(at.portal, answer);
    const codes = ['scope-special-unknown', 'scope-type-unknown', 'scope-without-category', 'scope-search-parameter'];
    expect(dropped.entries.map(({ code }) => code)).toEqual(expect.arrayContaining(codes));
    const personal = await launchOfAnswer(at.portal, await send('system/Patient.rs user/Patient.rs __other'));
    expect(personal.decidedBy).toMatchObject({ code: 'scopes-need-person', detail: { scopes: 'user/Patient.rs' } });
  });
});

it('No secret of these requests is recorded, whichever cause they have', () =>
  secrets.expectNoneRecorded(at.portal, 'scopes'));
