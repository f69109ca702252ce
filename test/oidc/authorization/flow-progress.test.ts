import { Flow, type FlowOptions } from '../../support/apps/flow.js';
import type { Tokens } from '../../support/apps/smart-app.js';
import {
  allStepsDue,
  clientIdOf,
  clientsFor,
  type DueSteps,
  dueDisclaimer,
  type Step,
  stepCombinations,
  steps,
} from '../../support/apps/steps.js';
import { publicApp, redirectUri } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { Agent } from '../../support/http/agent.js';
import { agreementsIn, deleteAgreements, eventsIn } from '../../support/portal/disclaimers-portal.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { alterAccounts, authenticatorCode } from '../../support/users/authenticator.js';
import { people } from '../../support/users/people.js';

const belowPath = {
  ...publicApp,
  clientId: 'below-a-path',
  initiateLoginUri: 'https://apps.example/heart/start?from=portal',
};

let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: Object.values(people),
      clients: [...clientsFor(publicApp), belowPath],
      disclaimers: [dueDisclaimer],
    },
  });
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

beforeEach(async () => {
  await deleteAgreements(portal);
  await alterAccounts(portal, 'DELETE FROM two_factor');
});

function begin(due: Partial<DueSteps>, further: FlowOptions = {}): Promise<Flow> {
  const all = { ...Object.fromEntries(steps.map((step) => [step, false])), ...due } as DueSteps;
  const scope = `openid fhirUser user/Patient.rs${all['launch-context'] ? ' launch/patient' : ''}`;
  return Flow.begin(portal, { clientId: clientIdOf(all) }, { person: people.practitioner, scope, ...further });
}

/** The user's action on each page. */
const answers: Record<`/user/${Step}`, (flow: Flow) => Promise<void>> = {
  '/user/two-factor-required': async ({ app, returnUrl }) => {
    const setup = await app.browser.get(`/api/twofactor/enable?${new URLSearchParams({ returnUrl })}`);
    const verificationCode = authenticatorCode(setup.json<{ sharedKey: string }>().sharedKey);
    expect((await app.browser.post('/api/twofactor/enable', { verificationCode, returnUrl })).status).toBe(200);
  },
  '/user/disclaimer': async (flow) => {
    expect((await flow.agree(await flow.disclaimerIds())).status).toBe(204);
  },
  '/user/launch-context': async (flow) => {
    expect((await flow.call('/api/launch-context')).status).toBe(200);
    expect((await flow.call('/api/launch-context', { method: 'POST', body: ['Patient/2'] })).status).toBe(200);
  },
  '/user/consent': async ({ app, returnUrl }) => {
    expect((await app.consent(returnUrl, await app.offeredScopes(returnUrl))).status).toBe(204);
  },
};

/** The status of continuing a request that has ended. */
async function ended({ app, returnUrl }: Flow): Promise<number> {
  const { location = '' } = await app.browser.get(returnUrl);
  return (await app.browser.get(location)).status;
}

const answer = (flow: Flow) => answers[flow.path as `/user/${Step}`]?.(flow);

/** Completes the pages until this one, or until the app is reached. */
async function until(flow: Flow, path: string): Promise<Flow> {
  for (let page = 0; flow.path !== path && page < steps.length; page += 1) {
    await answer(flow);
    await flow.followToNextPage();
  }
  expect(flow.path).toBe(path);
  return flow;
}

describe('An authorization', () => {
  it.each(stepCombinations)('has its steps in order with their numbers: $name', async ({ due }) => {
    const expected = steps.filter((step) => due[step]);
    const flow = await begin(due);
    for (const [index, step] of expected.entries()) {
      expect(flow.path).toBe(`/user/${step}`);
      expect(await flow.progress()).toMatchObject({ step: index + 1, total: expected.length });
      // Reloading, or continuing without an answer, changes nothing.
      expect((await flow.followToNextPage()).path).toBe(`/user/${step}`);
      await answer(flow);
      await flow.followToNextPage();
    }
    expect([flow.path, flow.page.searchParams.get('state')]).toEqual(['app', flow.app.state]);
    const tokens = (await flow.app.exchange(flow.page.searchParams.get('code') ?? '')).json<
      Tokens & Record<string, unknown>
    >();
    expect(tokens.patient).toBe(due['launch-context'] ? '2' : undefined);
  });

  it.each(steps)('can be cancelled at %s, and the app gets access_denied', async (step) => {
    const flow = await until(await begin(allStepsDue), `/user/${step}`);
    expect((await flow.cancel()).status).toBe(204);
    await flow.followToNextPage();
    const { searchParams } = flow.page;
    expect([flow.path, searchParams.get('error'), searchParams.get('state')]).toEqual([
      'app',
      'access_denied',
      flow.app.state,
    ]);
    const [event] = await eventsIn(portal, 'authorization.left');
    expect(event).toMatchObject({ outcome: 'success', client_id: 'app-111', detail: { step: expect.any(String) } });
  });

  it.each(steps)('A-23 has ended at %s when the request has expired', async (step) => {
    const flow = await until(await begin(allStepsDue), `/user/${step}`);
    await portal.query("UPDATE oidc_record SET expires_at = now() - interval '1 second' WHERE model = 'Interaction'");
    const paths: Record<Step, [string, unknown]> = {
      'two-factor-required': ['/api/twofactor/enable', { verificationCode: '000000', returnUrl: flow.returnUrl }],
      disclaimer: ['/api/disclaimer', { disclaimerIds: ['use'] }],
      'launch-context': ['/api/launch-context', ['Patient/2']],
      consent: ['/api/consent', { returnUrl: flow.returnUrl, rememberConsent: false, scopesConsented: ['openid'] }],
    };
    const [path, body] = paths[step];
    if (step !== 'two-factor-required') expect((await flow.call(path)).status).toBe(400);
    const answered =
      step === 'consent' || step === 'two-factor-required'
        ? await flow.app.browser.post(path, body)
        : await flow.call(path, { method: 'POST', body });
    expect(answered.status).toBe(400);
    expect((await flow.call('/api/authorization')).status).toBe(400);
    expect((await flow.cancel()).status).toBe(400);
    expect(await ended(flow)).toBe(400);
  });

  it('A-22 issues no second code when an answer is sent again after Back', async () => {
    const flow = await until(await begin({ disclaimer: true, consent: true }), '/user/consent');
    const { app, returnUrl } = flow;
    const offered = await app.offeredScopes(returnUrl);
    await answer(flow);
    expect((await flow.followToNextPage()).path).toBe('app');
    expect((await app.consent(returnUrl, offered)).status).toBe(400);
    flow.returnUrl = returnUrl;
    expect(await ended(flow)).toBe(400);
    expect(await portal.query("SELECT FROM oidc_record WHERE model = 'AuthorizationCode'")).toHaveLength(1);
  });

  it('can run in two tabs at once, each with its own code', async () => {
    const browser = new Agent(portal.issuer);
    const due = { disclaimer: true, 'launch-context': true, consent: true };
    const one = await begin(due, { browser });
    const other = await begin(due, { browser });
    await until(one, '/user/consent');
    // The agreement of the first tab is valid in all tabs; the choice of a patient belongs to one request.
    expect((await other.followToNextPage()).path).toBe('/user/launch-context');
    await until(other, 'app');
    await until(one, 'app');
    const codes = [one, other].map(({ page }) => page.searchParams.get('code'));
    expect(new Set(codes).size).toBe(2);
    expect([one, other].map(({ page }) => page.searchParams.get('state'))).toEqual([one.app.state, other.app.state]);
  });

  it('accepts an answer that is repeated because the response was lost', async () => {
    const flow = await begin({ disclaimer: true, consent: true });
    const ids = await flow.disclaimerIds();
    expect((await flow.agree(ids)).status).toBe(204);
    // The page repeats the call after a lost answer.
    expect((await flow.agree(ids)).status).toBeLessThan(500);
    expect((await flow.followToNextPage()).path).toBe('/user/consent');
  });

  it('is hidden from another browser, and cancelling it records no agreement', async () => {
    const flow = await begin({ disclaimer: true });
    const elsewhere = (await begin({ disclaimer: true })).app.browser;
    expect((await flow.call('/api/authorization', {}, elsewhere)).status).toBe(400);
    expect((await flow.call('/api/authorization', { method: 'DELETE' }, elsewhere)).status).toBe(400);
    expect((await flow.followToNextPage()).path).toBe('/user/disclaimer');
    expect((await flow.cancel()).status).toBe(204);
    expect((await flow.followToNextPage()).path).toBe('app');
    expect(await agreementsIn(portal)).toEqual([]);
  });

  it('returns its app and a link to start again after its end, to a browser that knows its address', async () => {
    const flow = await begin({ disclaimer: true });
    const { returnUrl } = flow;
    const stranger = new Agent(portal.issuer);
    const ended = (address: string, agent = stranger) =>
      agent.get(`/api/authorization/ended?${new URLSearchParams({ returnUrl: address })}`);
    await flow.cancel();
    await flow.followToNextPage();
    expect((await ended(returnUrl)).json()).toEqual({
      clientName: 'Heart Companion',
      startUrl: null,
      goesOnAt: null,
      reason: 'gone',
    });
    for (const [address, reason] of [
      [returnUrl.replace(encodeURIComponent(redirectUri), encodeURIComponent('https://evil.example/callback')), 'gone'],
      [returnUrl.replace('client_id=', 'client_id=x'), 'client'],
      ['/connect/authorize/callback', 'cut-address'],
      ['undefined', 'cut-address'],
    ] as const) {
      const nothing = { clientName: null, startUrl: null, goesOnAt: null };
      expect((await ended(address)).json()).toEqual({ ...nothing, reason });
    }
    // Another pending request of the same app in this browser continues.
    const next = await begin({ disclaimer: true }, { browser: flow.app.browser });
    const [, ix] = /ix=([\w-]+)/.exec(next.returnUrl) ?? [];
    const { goesOnAt } = (await ended(returnUrl, flow.app.browser)).json<{ goesOnAt: string }>();
    expect(goesOnAt).toContain(`ix=${ix}`);
    expect((await ended(returnUrl)).json()).toMatchObject({ goesOnAt: null });
    // Requests of other apps change nothing, and of several of this app the newest continues.
    await begin({ consent: true }, { browser: flow.app.browser });
    const continued = async () => (await ended(returnUrl, flow.app.browser)).json<{ goesOnAt: string }>().goesOnAt;
    expect(await continued()).toContain(`ix=${ix}`);
    const newest = await begin({ disclaimer: true }, { browser: flow.app.browser });
    expect(await continued()).toContain(`ix=${/ix=([\w-]+)/.exec(newest.returnUrl)?.[1]}`);
  });

  it('returns the registered initiate login URI of the app unchanged after its end', async () => {
    const { clientId, initiateLoginUri } = belowPath;
    const request = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri, ix: 'x' });
    const returnUrl = `/connect/authorize/callback?${request}`;
    const ended = await new Agent(portal.issuer).get(`/api/authorization/ended?${new URLSearchParams({ returnUrl })}`);
    expect(ended.json()).toEqual({
      clientName: 'Heart Companion',
      startUrl: initiateLoginUri,
      goesOnAt: null,
      reason: 'cut-address',
    });
  });

  it('returns the name of its app', async () => {
    expect(await (await begin({ consent: true })).progress()).toEqual({
      clientName: 'Heart Companion',
      returnHost: new URL(redirectUri).host,
      step: 1,
      total: 1,
    });
  });
});
