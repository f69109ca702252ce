import { wantedLanguages } from '../../src/platform/http/languages.js';
import { Agent } from '../support/agent.js';
import { publicApp } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { makePseudoLanguages, type PseudoLanguages } from '../support/pseudo-language.js';
import { SmartApp } from '../support/smart-app.js';

let languages: PseudoLanguages;
let portal: TestPortal;

beforeAll(async () => {
  languages = await makePseudoLanguages();
  portal = await startPortal({
    config: { languages: languages.config, users: Object.values(people), clients: [publicApp] },
  });
});

afterAll(async () => {
  await portal.close();
  await languages.remove();
});

describe('The languages that a browser wants', () => {
  it.each<[string | undefined, string, string[]]>([
    [undefined, '/connect/account?returnUrl=%2F', []],
    ['de-AT, de;q=0.9, en;q=0.8', '/', ['de-AT', 'de', 'en']],
    ['fr;q=0.5,ar , de;q=0.7', '/', ['ar', 'de', 'fr']],
    ['de;q=0, en', '/', ['en']],
    ['de;q=x, ;, en;level=1', '/', ['en']],
    ['de', '/connect/account?returnUrl=%2F&ui_locales=fr-CA+fr', ['fr-CA', 'fr', 'de']],
    ['de', '/?ui_locales=', ['de']],
    [Array(1000).fill('de').join(), '/', Array(20).fill('de')],
  ])('with Accept-Language %.30s at %s are known in their order', (header, url, wanted) => {
    expect(wantedLanguages({ url, headers: header === undefined ? {} : { 'accept-language': header } })).toEqual(
      wanted,
    );
  });
});

describe('A page that works without scripts', () => {
  const signOutPage = async (headers: Record<string, string>, query = '') => {
    const app = new SmartApp(portal);
    await app.tokens(people.patient);
    return app.browser.get(`/connect/endsession${query}`, { headers });
  };

  it('asks in the language of the browser whether to sign out', async () => {
    const { text } = await signOutPage({ 'accept-language': 'fr, de-XA;q=0.7' });
    expect(text).toContain('<html lang="de-XA" dir="ltr">');
    expect(text).toMatch(/<title>⟦Sïgñ öüt\?[^⟧]*⟧<\/title>/);
    expect(text).not.toMatch(/Sign out|Stay signed in|You will be/);
  });

  it('asks in the language that the app wants, also from right to left', async () => {
    const { text } = await signOutPage({ 'accept-language': 'de-XA' }, '?ui_locales=ar-XB');
    expect(text).toContain('<html lang="ar-XB" dir="rtl">');
  });

  it('asks in English without the wanted language', async () => {
    const { text } = await signOutPage({ 'accept-language': 'fr' });
    expect(text).toContain('<html lang="en" dir="ltr">');
    expect(text).toContain('<h1>Sign out?</h1><p>You will be signed out of this portal.</p>');
    expect(text).toContain('>Stay signed in</a>');
  });

  it('tells an administrator in the wanted language that the account is not for apps', async () => {
    const app = new SmartApp(portal, { parameters: { ui_locales: 'de-XA' } });
    const first = await app.begin();
    await app.signIn(people.admin, first);
    const { text } = await app.browser.get(await app.follow(first));
    expect(text).toContain('<html lang="de-XA" dir="ltr">');
    expect(text).toMatch(/<h1>⟦Thïš åççöüñt/);
    expect(text).not.toMatch(/Use another|Return to/);
  });
});

describe('The API', () => {
  it('answers the texts of the specification in every language, with the codes by which pages translate them', async () => {
    const answer = await new Agent(portal.issuer).post(
      '/api/session/login',
      { username: '', password: 'wrong' },
      { headers: { 'accept-language': 'de-XA' } },
    );
    expect(answer.json()).toMatchObject({
      errors: [{ field: 'username', messages: ['Email cannot be empty'] }],
      message: 'Email cannot be empty',
      codes: [{ field: 'username', code: 'login-email-empty' }],
    });
  });
});
