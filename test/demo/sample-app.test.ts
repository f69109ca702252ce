import type { Observation } from '@medplum/fhirtypes';
import { challengeOf } from '../../demo/app/public/js/challenge.js';
import { chartsOf, latestOf, textOf } from '../../demo/app/public/js/observations.js';
import { grantedSearches, SCOPES, titleOf } from '../../demo/app/public/js/scopes.js';
import { startSampleApp } from '../../demo/app/server.js';
import { DEMO_APP_RESOURCE_TYPES } from '../../demo/demo-accounts.js';

describe('the sample app', () => {
  let app: Awaited<ReturnType<typeof startSampleApp>>;

  beforeAll(async () => {
    app = await startSampleApp({ port: 0, fhirBase: 'http://localhost:3000/fhir', clientId: 'demo-app' });
  });

  afterAll(() => app.close());

  it.each(['/', '/launch', '/app'])(
    'serves %s without inline scripts, and with a policy that forbids them',
    async (path) => {
      const response = await fetch(app.url + path);
      expect(response.status).toBe(200);
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("connect-src 'self' http://localhost:3000;");
      const page = await response.text();
      expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
      expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
    },
  );

  it('tells its pages their FHIR server and client', async () => {
    const config = await (await fetch(`${app.url}/config.json`)).json();
    expect(config).toEqual({ fhirBase: 'http://localhost:3000/fhir', clientId: 'demo-app' });
  });

  it('serves fhirclient itself', async () => {
    const response = await fetch(`${app.url}/fhir-client.js`);
    expect(response.headers.get('content-type')).toMatch(/javascript/);
    expect(await response.text()).toContain('oauth2');
  });

  it('has a page for unknown addresses', async () => {
    const response = await fetch(`${app.url}/nothing`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('There is no such page');
  });
});

describe('the scopes of the sample app', () => {
  it('match the resource types of its registration', () => {
    const types = SCOPES.flatMap(({ value }) => /^patient\/(\w+)\.rs$/.exec(value)?.[1] ?? []);
    expect(types.toSorted()).toEqual(DEMO_APP_RESOURCE_TYPES.toSorted());
  });

  it.each([
    ['patient/Condition.rs', 'Read conditions'],
    ['patient/Condition.rs?category=http://x|health-concern', 'Read conditions, only health-concern'],
    ['patient/Shoe.rs', undefined],
  ])('%s means: %s', (scope, title) => {
    expect(titleOf(scope)).toBe(title);
  });

  it.each([
    ['one search for all of a type', ['openid', 'patient/Observation.rs'], ['']],
    [
      'one search for each category',
      ['patient/Observation.rs?category=a', 'patient/Observation.s?category=b'],
      ['category=a', 'category=b'],
    ],
    [
      'one search when a category is granted besides everything',
      ['patient/Observation.rs?category=a', 'patient/Observation.read'],
      [''],
    ],
    ['no search for a type that was not granted', ['patient/Condition.rs'], []],
    ['no search where only reading by id was granted', ['patient/Observation.r'], []],
  ])('lead to %s', (_what, granted, searches) => {
    expect(grantedSearches(granted, 'Observation').map(String)).toEqual(searches);
  });
});

describe('the observations in the sample app', () => {
  const at = (effectiveDateTime: string, code: string, more: Partial<Observation>): Observation => ({
    resourceType: 'Observation',
    status: 'final',
    code: { text: code, coding: [{ system: 'http://loinc.org', code }] },
    effectiveDateTime,
    ...more,
  });
  const pulse = (day: string, value: number) => at(day, '8867-4', { valueQuantity: { value, unit: 'beats/min' } });
  const part = (code: string, value: number) => ({
    code: { coding: [{ system: 'http://loinc.org', code }] },
    valueQuantity: { value, unit: 'mmHg' },
  });
  const pressure = at('2026-01-02', '85354-9', { component: [part('8480-6', 120), part('8462-4', 80)] });

  it('are drawn oldest first, if there are any', () => {
    const charts = chartsOf([pulse('2026-01-03', 70), pulse('2026-01-01', 68)]);
    expect(charts).toHaveLength(1);
    expect(charts[0]?.series[0]?.points.map(({ value }) => value)).toEqual([68, 70]);
  });

  it('are drawn as one line per component', () => {
    const [chart] = chartsOf([pressure]);
    expect(chart?.series.map(({ name, points }) => [name, points[0]?.value])).toEqual([
      ['Systolic', 120],
      ['Diastolic', 80],
    ]);
  });

  it('are listed once per kind, with the newest value', () => {
    const latest = latestOf([pulse('2026-01-03', 70), pressure, pulse('2026-01-01', 68)]);
    expect(latest.map(textOf)).toEqual(['70 beats/min', '120 / 80 mmHg']);
  });

  it('leave out units that are only annotations', () => {
    expect(textOf(at('2026-01-01', '44261-6', { valueQuantity: { value: 9, unit: 'score', code: '{score}' } }))).toBe(
      '9',
    );
  });
});

describe('the challenge that the sample app follows', () => {
  const answer = (status: number, challenge?: string) => ({
    status,
    headers: new Headers(challenge === undefined ? {} : { 'WWW-Authenticate': challenge }),
  });
  const stronger = 'Bearer realm="fhir", error="insufficient_user_authentication", error_description="a, b"';

  it.each<[challenge: string, parameters: object]>([
    [`${stronger}, acr_values="aal2", max_age="600"`, { acr_values: 'aal2', max_age: '600' }],
    [`${stronger}, acr_values="phr"`, { acr_values: 'phr' }],
    [`${stronger}, max_age="60"`, { max_age: '60' }],
  ])('becomes parameters of the next request: %s', (challenge, parameters) => {
    expect(challengeOf(answer(401, challenge))).toEqual(parameters);
  });

  it('is none of another refusal', () => {
    expect(challengeOf(answer(401, 'Bearer realm="fhir", error="invalid_token"'))).toBeUndefined();
    expect(challengeOf(answer(401))).toBeUndefined();
    expect(challengeOf(answer(403, `${stronger}, acr_values="aal2"`))).toBeUndefined();
  });
});
