import type { ConsentRequest } from '../../../src/contract/consent.js';
import type { LaunchContextRequest } from '../../../src/contract/launch-context.js';
import type { RelationshipView } from '../../../src/contract/representation.js';
import { basicAuthorization, SmartApp, type Tokens } from '../apps/smart-app.js';
import { confidentialApp, publicApp, sharedSecret } from '../clients/clients.js';
import { Agent } from '../http/agent.js';
import type { Credentials } from '../users/people.js';
import { type FamilyPortal, family } from './family-portal.js';

export const jwtApp = { ...publicApp, accessTokenType: 'Jwt' };
export const opaqueApp = { ...confidentialApp, requireConsent: true, allowIntrospection: true };
export const withSecret = { client: opaqueApp, secret: sharedSecret };
/** The calls of administrators about relationships. */
export const relationshipsPath = '/api/admin/representation';
export const scopeOfActing = 'openid fhirUser launch/patient patient/*.rs user/Patient.rs offline_access';

/** What a user and an administrator do in tests of acting for others, at a portal with both apps. */
export function actingIn(portal: () => FamilyPortal, user: Credentials = family.ana) {
  let signedIn: Promise<Agent> | undefined;
  const admin = () => {
    signedIn ??= portal().as(family.admin);
    return signedIn;
  };

  async function acts(patient: string, more: object = {}): Promise<string> {
    const form = { email: user.email, patient, basis: 'parental-responsibility', level: 'full', ...more };
    const { id } = (await (await admin()).post(relationshipsPath, form)).json<RelationshipView>();
    const decided = await (await admin()).post(`${relationshipsPath}/${id}/decision`, {
      decision: 'approve',
      note: 'Seen',
    });
    expect([decided.status, decided.text]).toEqual([200, expect.any(String)]);
    return id;
  }

  const idOf = async (patient: string) => {
    const list = await (await admin()).get(`${relationshipsPath}?patient=${patient}`);
    return list.json<{ relationships: RelationshipView[] }>().relationships[0]?.id ?? '';
  };

  /** Signs in, and continues to the page that comes then. */
  async function begin(person: Credentials, launch: object = {}) {
    const app = new SmartApp(portal(), { scope: scopeOfActing, ...launch });
    const returnUrl = await app.begin();
    await app.signIn(person, returnUrl);
    const at = new URL(await app.follow(returnUrl));
    return { app, page: at.pathname, returnUrl: at.searchParams.get('returnUrl') ?? '' };
  }

  const question = async ({ app, returnUrl }: Awaited<ReturnType<typeof begin>>) =>
    (
      await app.browser.get(`/api/launch-context?returnUrl=${encodeURIComponent(returnUrl)}`)
    ).json<LaunchContextRequest>();

  /** Chooses a patient; then the app's request is at the consent page. */
  async function beginFor(patient: string, launch: object = {}) {
    const begun = await begin(user, launch);
    expect(begun.page).toBe('/user/launch-context');
    await question(begun);
    const address = `/api/launch-context?returnUrl=${encodeURIComponent(begun.returnUrl)}`;
    const chosen = await begun.app.browser.post(address, [`Patient/${patient}`]);
    expect([chosen.status, chosen.text]).toEqual([200, expect.any(String)]);
    const at = new URL(await begun.app.follow(begun.returnUrl));
    return { app: begun.app, at, returnUrl: at.searchParams.get('returnUrl') ?? '' };
  }

  const pageOf = async ({ app, returnUrl }: Awaited<ReturnType<typeof beginFor>>) =>
    (await app.browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<ConsentRequest>();

  async function tokensFor(patient: string, launch: object = {}, remember = false) {
    const { app, at, returnUrl } = await beginFor(patient, launch);
    let landed = at;
    if (at.pathname === '/user/consent') {
      const consented = await app.consent(returnUrl, await app.offeredScopes(returnUrl), remember);
      expect([consented.status, consented.text]).toEqual([204, expect.any(String)]);
      landed = new URL(await app.follow(returnUrl));
    }
    const answer = await app.exchange(landed.searchParams.get('code') ?? '');
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return { app, tokens: answer.json<Tokens>(), asked: at.pathname === '/user/consent' };
  }

  const introspect = async (token: string) =>
    (
      await new Agent(portal().issuer).postForm(
        '/connect/introspect',
        { token },
        { headers: basicAuthorization(opaqueApp.clientId, sharedSecret) },
      )
    ).json<{ active: boolean; patient?: string; representation?: string }>();

  return { admin, acts, idOf, begin, question, beginFor, pageOf, tokensFor, introspect };
}
