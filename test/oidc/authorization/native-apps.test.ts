import { launchOfAnswer } from '../../support/apps/launch-entries.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { clientKinds } from '../../support/clients/client-kinds.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { people } from '../../support/users/people.js';

const redirectUris = [
  'http://127.0.0.1/cb',
  'http://[::1]:4599/cb',
  'http://localhost:4599/cb',
  'com.example.heart:/callback',
  'https://app.example/cb',
];
const apps = clientKinds.map((kind) => {
  const of = (applicationType: string, uris: string[]) =>
    kind.client(`${applicationType}-app`, { applicationType, redirectUris: uris, postLogoutRedirectUris: uris });
  const web = of(
    'web',
    redirectUris.filter((uri) => uri.startsWith('http')),
  );
  return { kind, name: kind.name, native: of('native', redirectUris), web };
});
const asking = {
  ...publicApp,
  clientId: 'asking-native',
  applicationType: 'native',
  redirectUris,
  postLogoutRedirectUris: [],
};

let portal: TestPortal;

beforeAll(async () => {
  portal = await startPortal({
    config: {
      users: [people.patient],
      clients: [...apps.flatMap(({ native, web }) => [native, web]), asking],
      limits: { startsPerMinute: 10_000 },
    },
  });
});

afterAll(() => portal.close());

describe.each(apps)('A native app ($name)', ({ kind, native, web }) => {
  it.each([
    ['another port of 127.0.0.1', 'http://127.0.0.1:53219/cb'],
    ['the registered address of 127.0.0.1', 'http://127.0.0.1/cb'],
    ['another port of [::1]', 'http://[::1]:53219/cb'],
    ['another port of localhost', 'http://localhost:53219/cb'],
    ['a scheme of its own', 'com.example.heart:/callback'],
    ['a claimed https address', 'https://app.example/cb'],
  ])('gets its code at %s, and tokens for it', async (_, redirect_uri) => {
    for (const isPushed of [false, true]) {
      const app = kind.app(portal, native, { parameters: { redirect_uri } });
      const form = Object.fromEntries(new URLSearchParams(app.query()));
      const push = isPushed
        ? (await kind.post(new Agent(portal.issuer), '/connect/par', native, form)).json<{ request_uri: string }>()
        : undefined;
      const query = new URLSearchParams(push ? { client_id: native.clientId, request_uri: push.request_uri } : form);
      const request = new URL(`/connect/authorize?${query}`, portal.issuer);
      const landed = await app.complete(people.patient, undefined, request);
      expect(landed.href.startsWith(redirect_uri)).toBe(true);
      expect((await app.exchange(landed.searchParams.get('code') ?? '', { redirect_uri })).status).toBe(200);
    }
  });

  it.each([
    ['another path', 'http://127.0.0.1:53219/other', 'redirect-uri-unregistered'],
    ['https on the device', 'https://127.0.0.1:53219/cb', 'redirect-uri-unfit'],
    ['another host', 'http://127.0.0.1.evil.example/cb', 'redirect-uri-unfit'],
    ['another port of a host that is not the device', 'https://app.example:8443/cb', 'redirect-uri-unregistered'],
    ['another scheme', 'com.example.other:/callback', 'redirect-uri-unregistered'],
  ])('is not answered at %s', async (_, redirect_uri, code) => {
    const answer = await kind.app(portal, native, { parameters: { redirect_uri } }).authorize();
    expect([answer.status, answer.location]).toEqual([400, undefined]);
    expect((await launchOfAnswer(portal, answer)).decidedBy?.code).toBe(code);
  });

  it('has to be registered as one: a web app is answered at the exact address only', async () => {
    for (const [redirect_uri, cause] of [
      ['http://127.0.0.1:53219/cb', 'redirect-uri-loopback-port'],
      ['http://localhost:53219/cb', 'redirect-uri-loopback-port'],
      ['com.example.heart:/callback', 'redirect-uri-of-native-app'],
    ] as const) {
      const answer = await kind.app(portal, web, { parameters: { redirect_uri } }).authorize();
      expect([answer.status, answer.location]).toEqual([400, undefined]);
      const { decidedBy } = await launchOfAnswer(portal, answer);
      expect([decidedBy?.code, decidedBy?.texts.change?.field]).toEqual([cause, 'applicationType']);
    }
    const exact = kind.app(portal, web, { parameters: { redirect_uri: 'http://[::1]:4599/cb' } });
    expect((await exact.complete(people.patient)).searchParams.get('code')).not.toBeNull();
  });

  it('redeems a code with the address of its request only', async () => {
    const app = kind.app(portal, native, { parameters: { redirect_uri: 'http://127.0.0.1:1111/cb' } });
    const code = (await app.complete(people.patient)).searchParams.get('code') ?? '';
    const other = await app.exchange(code, { redirect_uri: 'http://127.0.0.1:2222/cb' });
    expect([other.status, other.json().error]).toEqual([400, 'invalid_grant']);
  });
});

describe('A native app that asks for consent', () => {
  const at = (port: number, browser: Agent) =>
    new SmartApp(portal, { client: asking, parameters: { redirect_uri: `http://127.0.0.1:${port}/cb` } }, browser);

  it('is shown by its place without the port, and a remembered decision holds for each port', async () => {
    const browser = new Agent(portal.issuer);
    const first = at(1111, browser);
    const returnUrl = await first.begin();
    await first.signIn(people.patient, returnUrl);
    const page = new URL(await first.follow(returnUrl));
    expect(page.pathname).toBe('/user/consent');
    const consentUrl = page.searchParams.get('returnUrl') ?? '';
    const query = `returnUrl=${encodeURIComponent(consentUrl)}`;
    expect((await browser.get(`/api/consent?${query}`)).json()).toMatchObject({ redirectHost: '127.0.0.1' });
    expect((await browser.get(`/api/authorization?${query}`)).json()).toMatchObject({
      returnHost: '127.0.0.1',
    });
    await first.consent(consentUrl, await first.offeredScopes(consentUrl), true);
    const landed = new URL(await first.follow(consentUrl));
    expect(landed.port).toBe('1111');
    const second = await at(2222, browser).authorize();
    expect(new URL(second.location ?? '').port).toBe('2222');
  });

  it('is shown by its scheme', async () => {
    const app = new SmartApp(portal, { client: asking, parameters: { redirect_uri: 'com.example.heart:/callback' } });
    const returnUrl = await app.begin();
    await app.signIn(people.patient, returnUrl);
    const page = new URL(await app.follow(returnUrl));
    const query = `returnUrl=${encodeURIComponent(page.searchParams.get('returnUrl') ?? '')}`;
    expect((await app.browser.get(`/api/consent?${query}`)).json()).toMatchObject({
      redirectHost: 'com.example.heart:',
    });
  });
});

it('No page without an origin may use the token endpoint of an app with a scheme of its own', async () => {
  const form = { grant_type: 'refresh_token', refresh_token: 'unknown', client_id: asking.clientId };
  const answer = await new Agent(portal.issuer).postForm('/connect/token', form, { headers: { origin: 'null' } });
  expect(answer.status).toBe(400);
  expect(answer.json().error_description).toContain('origin');
});
