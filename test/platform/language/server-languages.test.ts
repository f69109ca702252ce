import { wantedLanguages } from '../../../src/platform/language/languages.js';
import { Mail } from '../../../src/platform/mail/mail.js';
import { mailNames } from '../../../src/platform/mail/mail-templates.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { makePseudoLanguages, type PseudoLanguages } from '../../support/browser/pseudo-language.js';
import { publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import { type MailSink, mailAbout, startMailSink } from '../../support/mail-sink.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { signInByPassword } from '../../support/users/authenticator.js';
import { addPasskey, passkeyOptions, signInByPasskey } from '../../support/users/passkey-device.js';
import { people } from '../../support/users/people.js';

let languages: PseudoLanguages;
let portal: TestPortal;
let sink: MailSink;

beforeAll(async () => {
  languages = await makePseudoLanguages();
  sink = await startMailSink();
  portal = await startPortal({
    config: {
      languages: languages.config,
      users: Object.values(people),
      clients: [publicApp],
      email: sink.config,
      server: { trustedProxies: ['127.0.0.1'] },
      branding: { organizationTitle: 'St. Mary & Sons' },
    },
  });
});

afterAll(async () => {
  await portal.close();
  await sink.stop();
  await languages.remove();
});

describe('The preferred languages of a browser', () => {
  it.each<[string, string, string[]]>([
    ['', '/connect/account?returnUrl=%2F', []],
    ['de-AT, de;q=0.9, en;q=0.8', '/', ['de-AT', 'de', 'en']],
    ['fr;q=0.5,ar , de;q=0.7', '/', ['ar', 'de', 'fr']],
    ['de;q=0, en', '/', ['en']],
    ['de;q=x, ;, en;level=1', '/', ['en']],
    ['de', '/connect/account?returnUrl=%2F&ui_locales=fr-CA+fr', ['fr-CA', 'fr', 'de']],
    ['de', '/?ui_locales=', ['de']],
    ['de,'.repeat(1000), '/', Array(20).fill('de')],
  ])('are in their order (Accept-Language %.30j, address %j)', (header, url, wanted) => {
    expect(wantedLanguages({ url, headers: { 'accept-language': header } })).toEqual(wanted);
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

  it('asks in the language that the app requests, also from right to left', async () => {
    const { text } = await signOutPage({ 'accept-language': 'de-XA' }, '?ui_locales=ar-XB');
    expect(text).toContain('<html lang="ar-XB" dir="rtl">');
  });

  it('asks in English when the requested language is not available', async () => {
    const { text } = await signOutPage({ 'accept-language': 'fr' });
    expect(text).toContain('<html lang="en" dir="ltr">');
    expect(text).toContain('<h1>Sign out?</h1><p>You will be signed out of this portal.</p>');
    expect(text).toContain('>Stay signed in</a>');
  });

  it('explains to an administrator in the requested language that the account is not for apps', async () => {
    const app = new SmartApp(portal, { parameters: { ui_locales: 'de-XA' } });
    const first = await app.begin();
    await app.signIn(people.admin, first);
    const { text } = await app.browser.get(await app.follow(first));
    expect(text).toContain('<html lang="de-XA" dir="ltr">');
    expect(text).toMatch(/<h1>⟦Thïš åççöüñt/);
    expect(text).toMatch(/>⟦Cöñtïñüé tö Heart Companion/);
    expect(text).not.toMatch(/Use another|Return to|Continue to/);
  });
});

describe('The API', () => {
  it('returns the specified texts in every language, with the codes by which pages translate them', async () => {
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

describe('A mail', () => {
  const forgotten = async (email: string, language: string) => {
    const before = sink.received.filter(({ to }) => to.includes(email)).length;
    const headers = { 'accept-language': language };
    await new Agent(portal.issuer).post('/api/user/forgot-password', { email }, { headers });
    return (await sink.to(email, before + 1)).mail;
  };

  it('is in the language of the page on which it was requested', async () => {
    const mail = await forgotten(people.patient.email, 'de-XA');
    expect(mail.subject).toMatch(/^⟦Chööšé å ñéw påššwörd för St\. Mary & Sons/);
    expect(mail.html).toContain('<html lang="de-XA" dir="ltr">');
    expect(mail.html).toContain('St. Mary &amp; Sons');
  });

  it('is English when the language of the page has no texts', async () => {
    const mail = await forgotten(people.practitioner.email, 'fr');
    expect(mail.subject).toBe('Choose a new password for St. Mary & Sons');
    expect(mail.text).toContain('The link works once and for 60 minutes:');
    expect(mail.html).toContain('<html lang="en" dir="ltr">');
  });

  it('is in the language of the account, before that of the request', async () => {
    const admin = new Agent(portal.issuer);
    const { email: username, password } = people.admin;
    await admin.post('/api/session/login', { username, password });
    const claims = [
      { name: 'fhirUser', value: 'Patient/77' },
      { name: 'locale', value: 'ar_XB' },
    ];
    const user = { fullName: 'Lena Marsh', email: 'lena@example.org', userType: 'Patient', claims };
    const headers = { 'accept-language': 'de-XA' };
    expect((await admin.post('/api/admin/user', user, { headers })).status).toBe(201);
    const { mail } = await sink.to(user.email);
    expect(mail.html).toContain('<html lang="ar-XB" dir="rtl">');
    expect(mail.text).toContain('Lena Marsh');
  });

  it('about an attack is not in the language of the attacker', async () => {
    const { email: username } = people.otherPatient;
    for (let index = 0; index < 11; index++) {
      const headers = { 'accept-language': 'ar-XB', 'x-forwarded-for': `198.51.100.${index}` };
      await new Agent(portal.issuer).post('/api/session/login', { username, password: 'wrong' }, { headers });
    }
    expect((await sink.to(username)).mail.subject).toMatch(/^Someone is trying to sign in to your account/);
  });

  it('about the copy of a passkey is not in the language of the sign-in with it', async () => {
    const owner = await signInByPassword(portal, people.practitioner);
    const { device } = await addPasskey(owner, { counts: true });
    device.counter = 5;
    expect((await signInByPasskey(new Agent(portal.issuer), device)).status).toBe(200);
    device.counter = 1;
    const thief = new Agent(portal.issuer);
    const options = await passkeyOptions(thief, '/api/passkeys/sign-in/options');
    const headers = { 'accept-language': 'ar-XB' };
    await thief.post('/api/passkeys/sign-in', { response: device.answer(options) }, { headers });
    const subject = 'A passkey of your account at St. Mary & Sons may have been copied';
    expect((await mailAbout(sink, people.practitioner.email, subject)).mail.text).toContain('may have copied');
  });

  it.each(mailNames.flatMap((name) => [0, 1, 2, 3].map((left) => [name, left] as const)))(
    '%s has all of its texts in the catalogue, with all parameters replaced (%d)',
    async (name, left) => {
      const to = `${name}-${left}@example.org`;
      const values = {
        ...{ name: 'Lena Marsh', link: 'https://login.example/x?u=1', app: 'Heart & Co', left, enabled: left > 0 },
        ...{ passkey: 'Kitchen laptop', event: ['added', 'removed', 'cloned', 'codes-made'][left] ?? 'added' },
        ...{ validFor: { number: 72, unit: 'hour' as const }, when: new Date(Date.UTC(2026, 2, 4, 15, 6)) },
        ...{
          readAt: new Date(Date.UTC(2026, 2, 4, 15, 6)),
          readKinds: { kinds: ['Observation/laboratory', 'Encounter'] },
        },
      };
      const mail = portal.apps[0]?.get(Mail, { strict: false }) as Mail;
      await mail.post(name, to, values, 'de-XA');
      const { subject, text, html } = (await sink.to(to)).mail;
      const written = `${subject}\n${text}\n${html?.replace(/<[^>]*>/g, '')}`;
      expect(written).not.toMatch(/\{\{|\}\}|mail-[a-z]/);
      const known =
        /https?:\S+|Lena Marsh|Heart (?:&|&#38;|&amp;) Co|St\. Mary (?:&|&#38;|&amp;) Sons|72 Stunden|4\. März 2026 um 15:06 UTC/g;
      // A name of a kind of data is a text within a text.
      const names = /⟦[^⟦⟧]*⟧/g;
      expect(written.replace(known, '').replace(names, '').replace(names, '')).not.toMatch(/\p{L}/u);
    },
  );
});
