import type { ConsentRequest } from '../../src/contract/consent.js';
import type { LaunchContextRequest } from '../../src/contract/launch-context.js';
import { ContextChoice } from '../support/apps/context-choice.js';
import type { Launch, SmartApp, Tokens } from '../support/apps/smart-app.js';
import { publicApp } from '../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../support/fhir/small-fhir-server.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { runs } from '../support/runs.js';
import { people } from '../support/users/people.js';

const trustedApp = { ...publicApp, clientId: 'trusted-app', requireConsent: false };
const scope = 'openid user/*.rs launch/patient patient/*.rs launch/encounter';
const { numRuns: rounds } = runs(4, 200);

let fhirServer: SmallFhirServer;
let portal: TestPortal;

beforeAll(async () => {
  fhirServer = await startSmallFhirServer();
  portal = await startPortal({
    nodes: 2,
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: [people.practitioner],
      clients: [publicApp, trustedApp],
    },
  });
});

afterAll(async () => {
  await portal.close();
  fhirServer.close();
});

/** A request for which the practitioner has chosen the first patient and a visit, at the consent page. */
class Decision {
  private constructor(
    readonly choice: ContextChoice,
    readonly returnUrl: string,
    readonly shown: ConsentRequest,
  ) {}

  static async reach(launch: Launch = {}): Promise<Decision> {
    const choice = await ContextChoice.reach(portal, { client: publicApp, scope, ...launch }, people.practitioner);
    await choice.request();
    await choice.request({ patient: 'Patient/1' });
    await choice.request({ patient: 'Patient/2' });
    expect((await choice.choose(['Patient/1', 'Encounter/visit-1'])).status).toBe(200);
    return Decision.shownAt(choice);
  }

  /** The consent page as it is shown now. */
  static async shownAt(choice: ContextChoice): Promise<Decision> {
    const page = await choice.nextPage();
    expect(page.pathname).toBe('/user/consent');
    const shown = (await choice.app.browser.get(`/api/consent${page.search}`)).json<ConsentRequest>();
    return new Decision(choice, page.searchParams.get('returnUrl') ?? '', shown);
  }

  get app(): SmartApp {
    return this.choice.app;
  }

  get scopes(): string[] {
    return [...this.shown.identityScopes, ...this.shown.apiScopes].map(({ value }) => value);
  }

  accept(browser: Agent = this.app.browser): Promise<Answer> {
    const { contextVersion } = this.shown;
    const decision = { rememberConsent: false, scopesConsented: this.scopes, contextVersion };
    return browser.post('/api/consent', { returnUrl: this.returnUrl, ...decision });
  }

  choose(ids: string[], browser: Agent = this.app.browser): Promise<Answer> {
    return browser.post(`/api/launch-context?${new URLSearchParams({ returnUrl: this.choice.returnUrl })}`, ids);
  }

  async tokens(): Promise<Tokens> {
    const landed = new URL(await this.app.follow(this.returnUrl));
    return (await this.app.exchange(landed.searchParams.get('code') ?? '')).json<Tokens>();
  }

  progress(): Promise<Answer> {
    return this.app.browser.get(`/api/authorization?${new URLSearchParams({ returnUrl: this.returnUrl })}`);
  }

  /** The same browser, as its tab sees the other node; cookies of an answer stay with this copy. */
  otherTab(): Agent {
    return Object.assign(Object.create(Object.getPrototypeOf(this.app.browser)), {
      ...structuredCloneOf(this.app.browser),
      port: portal.ports[1],
    }) as Agent;
  }
}

/** A copy of an agent with cookies of its own. */
function structuredCloneOf(agent: Agent): object {
  return Object.fromEntries(
    Object.entries(agent).map(([name, value]) => [name, value instanceof Map ? new Map(value) : value]),
  );
}

const refusal =
  'The patient or the visit of this request was changed in another tab. Nothing was allowed. Please check the request again.';

describe('A practitioner at the consent page', () => {
  it('may return to the choice of the patient, which is unchanged until another one is confirmed', async () => {
    const decision = await Decision.reach();
    const { resourceData, ...asked } = (await decision.choice.request()).json<LaunchContextRequest>();
    expect(asked).toEqual({
      clientName: publicApp.clientName,
      step: 1,
      patient: null,
      chosen: ['Patient/1', 'Encounter/visit-1'],
    });
    expect(resourceData.map(({ name }) => name)).toEqual(['Patient', 'Encounter']);
    expect((await decision.accept()).status).toBe(204);
    expect(await decision.tokens()).toMatchObject({ patient: '1', encounter: 'visit-1' });
  });

  it('may choose another patient: the visit is gone, consent is asked again, and the app gets that patient', async () => {
    const first = await Decision.reach();
    expect((await first.progress()).json()).toMatchObject({ step: 3, total: 3 });
    expect((await first.choose(['Patient/2'])).status).toBe(200);
    const second = await Decision.shownAt(first.choice);
    expect(second.shown.patient).toMatchObject({ id: 'Patient/2', name: 'Noah Reed' });
    expect((await second.progress()).json()).toMatchObject({ step: 3, total: 3 });
    expect(second.scopes).not.toContain('launch/encounter');
    expect((await second.accept()).status).toBe(204);
    const tokens = await second.tokens();
    expect(tokens).toMatchObject({ patient: '2', scope: expect.not.stringContaining('launch/encounter') });
    expect(tokens).not.toHaveProperty('encounter');
  });

  it('gets back the scopes that a skipped patient and visit had made impossible', async () => {
    const decision = await Decision.reach();
    await decision.choose([]);
    const without = await Decision.shownAt(decision.choice);
    expect(without.shown.patient).toBeNull();
    expect(without.scopes).toEqual(['openid', 'user/*.rs']);
    await decision.choose(['Patient/2', 'Encounter/visit-3']);
    const again = await Decision.shownAt(decision.choice);
    expect(again.scopes.toSorted()).toEqual(scope.split(' ').toSorted());
    expect((await again.accept()).status).toBe(204);
    expect(await again.tokens()).toMatchObject({ patient: '2', encounter: 'visit-3' });
  });

  it('cannot choose what was not offered, and keeps the choice made before', async () => {
    const decision = await Decision.reach();
    for (const ids of [['Patient/9'], ['Patient/2', 'Encounter/visit-1'], ['Patient/1', 'Patient/2']]) {
      expect((await decision.choose(ids)).status).toBe(400);
    }
    expect((await decision.accept()).status).toBe(204);
    expect(await decision.tokens()).toMatchObject({ patient: '1', encounter: 'visit-1' });
  });

  it('A-19 can change it in their own browser only', async () => {
    const decision = await Decision.reach();
    const stranger = await Decision.reach();
    expect((await decision.choose(['Patient/2'], stranger.app.browser)).status).toBe(400);
    expect((await decision.choose(['Patient/2'], new Agent(portal.issuer))).status).toBe(401);
    expect((await decision.accept()).status).toBe(204);
    expect((await decision.tokens()).patient).toBe('1');
  });
});

describe('A request in two tabs', () => {
  it('refuses consent for a patient who was changed in the other tab, before and after that tab went on', async () => {
    await portal.query("DELETE FROM oidc_record WHERE model = 'Grant'");
    const decision = await Decision.reach();
    await decision.choose(['Patient/2']);
    const before = await decision.accept();
    expect([before.status, before.json().message]).toEqual([409, refusal]);
    const other = await Decision.shownAt(decision.choice);
    const after = await decision.accept();
    expect([after.status, after.json().message]).toEqual([409, refusal]);
    expect(await portal.query("SELECT FROM oidc_record WHERE model = 'Grant'")).toHaveLength(0);
    // The refused tab continues with the patient of the other one.
    expect(new URL(await decision.app.follow(decision.returnUrl)).pathname).toBe('/user/consent');
    expect((await other.accept()).status).toBe(204);
    expect((await other.tokens()).patient).toBe('2');
  });

  it('refuses another patient once consent was given, and the app gets the one who was shown', async () => {
    const decision = await Decision.reach();
    expect((await decision.accept()).status).toBe(204);
    expect((await decision.choose(['Patient/2'])).status).toBe(400);
    expect((await decision.tokens()).patient).toBe('1');
    expect((await decision.choose(['Patient/2'])).status).toBe(400);
  });

  it('gives the app the patient whom the accepting page showed, or refuses, when both answer at the same moment', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      const decision = await Decision.reach();
      const other = decision.otherTab();
      const calls = [() => decision.accept(), () => decision.choose(['Patient/2'], other)];
      const answers = await Promise.all((round % 2 ? calls : calls.toReversed()).map((call) => call()));
      const [accepted, chosen] = round % 2 ? answers : answers.toReversed();
      outcomes.add(`${accepted?.status} ${chosen?.status}`);
      if (accepted?.status === 204) expect((await decision.tokens()).patient).toBe('1');
      else expect((await Decision.shownAt(decision.choice)).shown.patient?.id).toBe('Patient/2');
    }
    // One of the two is refused, whichever comes first.
    for (const outcome of outcomes) expect(['204 400', '409 200']).toContain(outcome);
  }, 120_000);

  it('continues from either tab, also when both continue at the same moment', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const choice = await ContextChoice.reach(portal, { client: publicApp, scope }, people.practitioner);
      await choice.request();
      const answers = await Promise.all([choice.choose(['Patient/2']), choice.choose(['Patient/2'])]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const pages = await Promise.all([choice.nextPage(), choice.nextPage()]);
      expect(pages.map(({ pathname }) => pathname)).toEqual(['/user/consent', '/user/consent']);
      const decision = await Decision.shownAt(choice);
      expect(decision.shown.patient?.id).toBe('Patient/2');
      expect((await decision.accept()).status).toBe(204);
      expect((await decision.tokens()).patient).toBe('2');
    }
  }, 120_000);
});

describe('A request whose answer was lost', () => {
  it('continues at the consent page, although its cookies never arrived', async () => {
    const decision = await Decision.reach();
    await decision.choose(['Patient/2']);
    const lost = decision.otherTab();
    const left = await lost.get((await lost.get(decision.choice.returnUrl)).location ?? '');
    expect(left.status).toBe(303);
    // The browser of the user has got nothing of it, and reloads.
    const again = await Decision.shownAt(decision.choice);
    expect(again.shown.patient?.id).toBe('Patient/2');
    expect((await again.accept()).status).toBe(204);
    expect((await again.tokens()).patient).toBe('2');
  });

  it('is not given to a browser that only knows its address', async () => {
    const decision = await Decision.reach();
    const stranger = new Agent(portal.issuer);
    const answer = await stranger.get((await stranger.get(decision.returnUrl)).location ?? '');
    expect([answer.status, answer.headers['set-cookie']]).toEqual([400, undefined]);
  });

  it('repeats a choice without effect, and counts its pages once', async () => {
    const decision = await Decision.reach();
    for (let time = 0; time < 3; time += 1) expect((await decision.choose(['Patient/2'])).status).toBe(200);
    const again = await Decision.shownAt(decision.choice);
    expect((await again.progress()).json()).toMatchObject({ step: 3, total: 3 });
  });
});

it('an app that needs no consent gets the patient of the last choice before its code', async () => {
  const choice = await ContextChoice.reach(portal, { client: trustedApp, scope }, people.practitioner);
  await choice.request();
  await choice.choose(['Patient/1']);
  await choice.choose(['Patient/2']);
  expect((await choice.tokens()).patient).toBe('2');
});
