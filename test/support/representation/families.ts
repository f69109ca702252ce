import type { LaunchContextRequest } from '../../../src/contract/launch-context.js';
import { basicAuthorization, type Launch, SmartApp, type Tokens } from '../apps/smart-app.js';
import { Agent } from '../http/agent.js';
import { type Person, people } from '../users/people.js';
import { actingIn, jwtApp, opaqueApp } from './acting.js';
import { type FamilyPortal, family, makeRepresentative, startFamilyPortal } from './family-portal.js';

const inTenants = (person: Person, ...tenants: string[]): Person => ({
  ...person,
  claims: [...person.claims, ...tenants.map((value) => ({ name: 'tenant', value }))],
});
const named = (email: string, fullName: string): Person => ({ ...people.patient, email, fullName });
/** Only acts, for two children. */
export const rosa = named('rosa@example.org', 'Rosa Lind');
/** The second account of a practitioner, and that of an administrator. */
export const mira = named('mira.family@example.org', 'Mira Hart');
export const ida = named('ida.family@example.org', 'Ida Stone');
/** A patient of two hospitals. */
export const eva = inTenants(named('eva@example.org', 'Eva Duarte'), 'north', 'south');
export const quietApp = { ...jwtApp, clientId: 'quiet-app', requireConsent: false };
export const studyApp = { ...jwtApp, clientId: 'study-app' };
const disclaimers = [{ id: 'study', description: 'Study', html: '<p>A study.</p>', clients: [studyApp.clientId] }];
export const ehr = { id: 'ward-ehr', secret: 'the-secret-of-the-ward-ehr' };

/** A portal of three FHIR bases, in which users of each kind act for others. */
export async function startFamiliesPortal(): Promise<FamilyPortal> {
  const users = [...Object.values(family), people.practitioner, rosa, mira, ida, eva];
  const clients = [jwtApp, opaqueApp, quietApp, studyApp];
  const portal = await startFamilyPortal({
    tenants: ['north', 'south'],
    config: { users, clients, disclaimers, ehr: { callers: [ehr] } },
  });
  for (const person of [rosa, mira, ida]) await makeRepresentative(portal, person);
  portal.has('mia', { birthDate: '2012-01-01' });
  for (const person of [family.ana, rosa]) {
    for (const id of ['leo', 'mia']) await actingIn(() => portal, person).acts(id);
  }
  for (const person of [mira, ida]) await actingIn(() => portal, person).acts('leo');
  const ofEva = actingIn(() => portal, eva);
  await ofEva.acts('leo', { tenant: 'north' });
  await ofEva.acts('leo', { tenant: 'south', level: 'basics' });
  await ofEva.acts('mia', { tenant: 'south' });
  return portal;
}

export interface Way extends Launch {
  /** The patient who is chosen. */
  choose?: string;
  /** The app of a FHIR base of this tenant. */
  tenant?: string;
  remember?: boolean;
  /** How the request is sent. */
  by?: 'GET' | 'POST' | 'PAR';
  browser?: Agent;
}

export interface Arrival {
  app: SmartApp;
  pages: string[];
  /** Ids of the patients that were offered; those that cannot be chosen have a minus. */
  offered: string[] | undefined;
  /** Members of the address of the app. */
  answer: Record<string, string>;
  tokens: Tokens | undefined;
}

/** The FHIR base of a tenant, or of none. */
export const baseOf = ({ fhirBase }: FamilyPortal, tenant: string | undefined) =>
  tenant ? `${fhirBase}/${tenant}` : fhirBase;

/** Walks through all pages of a request, and chooses the patient on the page for it. */
export async function walk(portal: FamilyPortal, person: Person, way: Way): Promise<Arrival> {
  const { choose, tenant, remember = false, by = 'GET', browser = new Agent(portal.issuer), ...launch } = way;
  const parameters = { aud: baseOf(portal, tenant), ...launch.parameters };
  const app = new SmartApp(portal, { ...launch, parameters }, browser);
  const found: Arrival = { app, pages: [], offered: undefined, answer: {}, tokens: undefined };
  let at = await sent(portal, app, by, launch);
  for (let step = 0; step < 12; step += 1) {
    const { origin, pathname, searchParams } = new URL(at);
    if (origin !== portal.issuer) {
      found.answer = Object.fromEntries(searchParams);
      const { code } = found.answer;
      if (code) found.tokens = (await app.exchange(code)).json<Tokens>();
      return found;
    }
    found.pages.push(pathname);
    const returnUrl = searchParams.get('returnUrl') ?? '';
    if (!(await answered(pathname, returnUrl, found, { person, choose, remember }))) return found;
    at = await app.follow(returnUrl);
  }
  throw new Error(`the request comes to no end: ${found.pages}`);
}

async function sent({ issuer }: FamilyPortal, app: SmartApp, by: string, { secret }: Launch): Promise<string> {
  const form = Object.fromEntries(new URLSearchParams(app.query()));
  const to = async (answer: ReturnType<Agent['get']>) => {
    const { location = '', text, status } = await answer;
    if (location === '') throw new Error(`the request was answered ${status}: ${text}`);
    return location.startsWith(`${issuer}/connect/`) ? app.follow(location) : location;
  };
  if (by === 'POST') return to(app.browser.postForm('/connect/authorize', form));
  if (by === 'GET') return to(app.authorize());
  const headers = secret ? basicAuthorization(form.client_id ?? '', secret) : {};
  const pushed = await new Agent(issuer).postForm('/connect/par', form, { headers });
  const { request_uri = '' } = pushed.json<{ request_uri?: string }>();
  return to(
    app.browser.get(`/connect/authorize?${new URLSearchParams({ client_id: form.client_id ?? '', request_uri })}`),
  );
}

/** False on a page that nothing continues from. */
async function answered(
  page: string,
  returnUrl: string,
  found: Arrival,
  { person, choose, remember }: { person: Person; choose: string | undefined; remember: boolean },
): Promise<boolean> {
  const { app } = found;
  const of = `returnUrl=${encodeURIComponent(returnUrl)}`;
  if (page === '/login') return (await app.signIn(person, returnUrl)).status === 200;
  if (page === '/user/launch-context') {
    const { resourceData } = (await app.browser.get(`/api/launch-context?${of}`)).json<LaunchContextRequest>();
    found.offered = resourceData[0]?.data.map(({ id, forWhom }) =>
      forWhom?.selectable === false ? `-${id.slice(8)}` : id.slice(8),
    );
    if (choose === undefined) return false;
    return (await app.browser.post(`/api/launch-context?${of}`, [`Patient/${choose}`])).status === 200;
  }
  if (page === '/user/disclaimer') {
    const list = await app.browser.get(`/api/disclaimer?${of}`);
    const disclaimerIds = list.json<{ disclaimers: { id: string }[] }>().disclaimers.map(({ id }) => id);
    return (await app.browser.post(`/api/disclaimer?${of}`, { disclaimerIds })).status === 204;
  }
  if (page !== '/user/consent') return false;
  const consented = await app.consent(returnUrl, await app.offeredScopes(returnUrl), remember);
  return consented.status === 204;
}
