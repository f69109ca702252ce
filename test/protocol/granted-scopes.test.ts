import fc from 'fast-check';
import type { GrantList } from '../../src/contract/grants.js';
import { describeScope } from '../../src/contract/rules/scope-description.js';
import { Agent } from '../support/agent.js';
import { alterClient, confidentialApp, publicApp, sharedSecret } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { runs } from '../support/runs.js';
import { basic, SmartApp, type Tokens } from '../support/smart-app.js';

const resourceServer = { ...confidentialApp, clientId: 'resource-server', allowIntrospection: true };
const app = { ...publicApp, clientId: 'random-app' };

/** What an administrator may set for a client that bears upon scopes. */
interface Policy {
  allowedSmartActions: string[];
  allowedSmartLegacyActions: string[];
  allowedSmartSubjects: string[];
  allowedResourceTypes: string[];
  allowOfflineAccess: boolean;
  allowOnlineAccess: boolean;
}

let portal: TestPortal;
let browser: Agent;

beforeAll(async () => {
  portal = await startPortal({ config: { users: [people.patient], clients: [app, resourceServer] } });
  browser = new Agent(portal.issuer);
  await new SmartApp(portal, { client: app }, browser).signIn(people.patient);
});

afterAll(() => portal.close());

const types = ['Patient', 'Observation', 'Condition', 'Encounter'];
const letters = ['c', 'r', 'u', 'd', 's'];
const category = 'category=http://terminology.hl7.org/CodeSystem/observation-category|';
const access = fc.oneof(
  fc.subarray(letters, { minLength: 1 }).map((some) => some.join('')),
  fc.constantFrom('read', 'write', '*'),
  fc.constantFrom('rs?_id=1', `rs?${category}laboratory`, `rs?${category}survey&status=final`),
);
const resource = fc
  .tuple(fc.constantFrom('patient', 'patient', 'user', 'system'), fc.constantFrom('*', ...types), access)
  .map(([subject, type, what]) => `${subject}/${type}.${what}`);
const other = fc.constantFrom(
  'fhirUser',
  'profile',
  'launch/patient',
  'made-up',
  'patient/*.sr',
  'user/Patient.$match',
);
const lasting = fc.constantFrom([], ['offline_access'], ['offline_access'], ['online_access']);
const request = fc
  .tuple(fc.array(fc.oneof({ weight: 3, arbitrary: resource }, other), { minLength: 1, maxLength: 8 }), lasting)
  .map(([scopes, refresh]) => [...new Set(['openid', ...scopes, ...refresh])]);
const policy: fc.Arbitrary<Policy> = fc.record({
  allowedSmartActions: fc.subarray(letters),
  allowedSmartLegacyActions: fc.subarray(['read', 'write', '*']),
  allowedSmartSubjects: fc.subarray(['patient', 'user', 'system'], { minLength: 1 }),
  allowedResourceTypes: fc.subarray(types),
  allowOfflineAccess: fc.boolean(),
  allowOnlineAccess: fc.boolean(),
});
const settings = fc.record({
  requireConsent: fc.boolean(),
  showFineGrainedScopes: fc.boolean(),
  accessTokenType: fc.constantFrom('Jwt', 'Reference'),
});
/** What is done with the first, second, … of a list; it begins again at its end. */
const choices = fc.array(fc.boolean(), { minLength: 7, maxLength: 7 });
const chosen = (list: string[], by: boolean[]) => list.filter((_, index) => by[index % by.length]);

interface Access {
  subject: string;
  type: string;
  version: 1 | 2;
  letters: string;
  query: string[];
}

/** What a scope gives access to, read without the code that is being tested; undefined when it is no such scope. */
function read(scope: string): Access | undefined {
  const [, subject = '', type = '', what = '', query] = /^(\w+)\/(\*|\w+)\.([a-z]+|\*)(?:\?(.*))?$/.exec(scope) ?? [];
  if (subject === '') return undefined;
  const legacy: Record<string, string> = { read: 'rs', write: 'cud', '*': 'cruds' };
  const version = what in legacy ? 1 : 2;
  return { subject, type, version, letters: legacy[what] ?? what, query: query?.split('&') ?? [] };
}

const isPartOf = (some: string, all: string) => [...some].every((one) => all.includes(one));

function isWithin(granted: string, asked: string): boolean {
  const [narrow, wide] = [read(granted), read(asked)];
  if (granted === asked || !narrow || !wide) return granted === asked;
  return (
    narrow.subject === wide.subject &&
    (wide.type === '*' || narrow.type === wide.type) &&
    isPartOf(narrow.letters, wide.letters) &&
    wide.query.every((condition) => narrow.query.includes(condition))
  );
}

function isAllowed(granted: string, limits: Policy): boolean {
  if (granted === 'offline_access') return limits.allowOfflineAccess;
  if (granted === 'online_access') return limits.allowOnlineAccess;
  const what = read(granted);
  if (!what) return true;
  const words = limits.allowedSmartLegacyActions.map((word) => ({ read: 'rs', write: 'cud' })[word] ?? 'cruds');
  const allowed = what.version === 1 ? words.join('') : limits.allowedSmartActions.join('');
  return (
    what.subject !== 'system' &&
    limits.allowedSmartSubjects.includes(what.subject) &&
    (limits.allowedResourceTypes.length === 0 || limits.allowedResourceTypes.includes(what.type)) &&
    isPartOf(what.letters, allowed)
  );
}

/** What a person was shown, and what that and their ticks make of the request. */
interface Decision {
  offered: string[];
  agreed: string[];
}

/** Ticks what stands on the consent page as `by` says; a ticked parent is all of its children. */
async function decide(one: SmartApp, returnUrl: string, by: boolean[]): Promise<Decision> {
  const page = (await browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<{
    identityScopes: { value: string; required: boolean }[];
    apiScopes: { value: string; required: boolean; fineGrainedScopes: { value: string }[] }[];
  }>();
  const offered = [...page.identityScopes, ...page.apiScopes.flatMap((scope) => [scope, ...scope.fineGrainedScopes])];
  const parentOf = (value: string) =>
    page.apiScopes.find(({ fineGrainedScopes }) => fineGrainedScopes.some((fine) => fine.value === value))?.value;
  const required = offered.filter((scope) => 'required' in scope && scope.required).map(({ value }) => value);
  const optional = offered.map(({ value }) => value).filter((value) => !required.includes(value));
  const ticked = [...new Set([...required, ...chosen([...new Set(optional)], by)])];
  expect((await one.consent(returnUrl, ticked)).status).toBe(204);
  const own = [...page.identityScopes, ...page.apiScopes].map(({ value }) => value);
  return {
    offered: own,
    agreed: ticked.filter((value) => own.includes(value) || !ticked.includes(parentOf(value) ?? '')),
  };
}

/** Undefined when the request ended without a code, because nothing that it asked for can be had. */
async function launch(scopes: string[], by: boolean[]): Promise<{ tokens: Tokens; decision?: Decision } | undefined> {
  const one = new SmartApp(portal, { client: app, scope: scopes.join(' ') }, browser);
  let at = new URL(await one.follow(`/connect/authorize?${one.query()}`));
  let decision: Decision | undefined;
  if (at.pathname === '/user/consent') {
    const returnUrl = at.searchParams.get('returnUrl') ?? '';
    decision = await decide(one, returnUrl, by);
    at = new URL(await one.follow(returnUrl));
  }
  const code = at.searchParams.get('code');
  if (code === null) {
    expect(at.searchParams.get('error')).toBe('invalid_scope');
    return undefined;
  }
  const answer = await one.exchange(code);
  expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
  return { tokens: answer.json<Tokens & Record<string, unknown>>(), decision };
}

/** What the person reads of it among their apps, while there is nothing of an earlier time. */
async function shownAfterwards(): Promise<string[]> {
  const { clientsPermissions } = (await browser.get('/api/grant')).json<GrantList & Record<string, unknown>>();
  const card = clientsPermissions.find(({ clientId }) => clientId === app.clientId);
  return [...(card?.identityGrantNames ?? []), ...(card?.apiGrantData ?? []).map((one) => one.displayName)].toSorted();
}

/** The scopes of a token: those that its answer names and introspection tells. */
async function scopesOf({ access_token: token, scope }: Tokens): Promise<string[]> {
  const headers = basic(resourceServer.clientId, sharedSecret);
  const told = await new Agent(portal.issuer).postForm('/connect/introspect', { token }, { headers });
  expect(told.json()).toMatchObject({ active: true, scope });
  return scope.split(' ');
}

/** Of those that are made up here, the ones that mean something. */
const isKnown = (scope: string) => !['made-up', 'patient/*.sr', 'user/Patient.$match'].includes(scope);

const notAllowed = (scopes: string[], limits: Policy) => scopes.filter((scope) => !isAllowed(scope, limits));
const beyond = (scopes: string[], asked: string[]) =>
  scopes.filter((scope) => !asked.some((one) => isWithin(scope, one)));

describe('A token', () => {
  it('O-07 B-11 B-12 holds what was asked for, is allowed and was ticked, all of it and nothing else, and never more after a refresh', async () => {
    let granted = 0;
    let refreshed = 0;
    const run = async (
      asked: string[],
      limits: Policy,
      further: object,
      by: boolean[],
      later: Policy,
      fewer: boolean[],
    ): Promise<void> => {
      await alterClient(portal, app.clientId, { settings: { ...limits, ...further } });
      await browser.send(`/api/grant?clientId=${app.clientId}`, { method: 'DELETE' });
      const launched = await launch(asked, by);
      if (!launched) return;
      const first = await scopesOf(launched.tokens);
      granted += 1;
      expect(beyond(first, asked)).toEqual([]);
      expect(notAllowed(first, limits)).toEqual([]);
      // Nothing is lost either: what was asked for and is allowed was offered, and what was agreed to is granted.
      const possible = asked.filter((scope) => isKnown(scope) && isAllowed(scope, limits));
      const { offered, agreed } = launched.decision ?? { offered: first, agreed: first };
      expect(possible.filter((scope) => !offered.includes(scope))).toEqual([]);
      expect(first.toSorted()).toEqual(agreed.toSorted());
      expect(await shownAfterwards()).toEqual(first.map((scope) => describeScope(scope).displayName).toSorted());

      let token = launched.tokens.refresh_token;
      let inFull: string[] | undefined;
      for (const [policyNow, wanted] of [
        [later, undefined],
        [later, asked],
        [limits, chosen(first, fewer)],
        [limits, undefined],
        [limits, asked],
      ] as const) {
        if (token === undefined) return;
        await alterClient(portal, app.clientId, { settings: policyNow });
        const parameters: Record<string, string> = wanted?.length ? { scope: wanted.join(' ') } : {};
        const answer = await new SmartApp(portal, { client: app }).refresh(token, parameters);
        if (answer.status !== 200) {
          if (wanted === asked && policyNow === limits) expect(inFull).toBeUndefined();
          if (policyNow === limits && !wanted) inFull = undefined;
          expect([answer.status, answer.json().error]).toEqual([400, expect.stringMatching(/^invalid_(scope|grant)$/)]);
          continue;
        }
        const renewed = answer.json<Tokens & Record<string, unknown>>();
        const now = await scopesOf(renewed);
        refreshed += 1;
        expect(beyond(now, first)).toEqual([]);
        expect(notAllowed(now, policyNow)).toEqual([]);
        if (wanted?.length) expect(beyond(now, [...wanted])).toEqual([]);
        // Libraries repeat what they asked for at authorization: what was ignored or left out then is so now.
        if (wanted === asked && policyNow === limits) expect(now.toSorted()).toEqual(inFull);
        inFull = now.toSorted();
        token = renewed.refresh_token;
      }
    };
    const property = fc.asyncProperty(request, policy, settings, choices, policy, choices, run);
    await fc.assert(property, {
      ...runs(25, 500),
      examples: [everything(), everything({ requireConsent: false }), onlyVersion1(), childOfItsOwn()],
    });
    // The property must not hold because nothing was ever granted.
    expect(granted).toBeGreaterThanOrEqual(2);
    expect(refreshed).toBeGreaterThanOrEqual(4);
  });
});

/** A case in which all is granted and refreshed. */
function everything(further: object = {}): [string[], Policy, never, boolean[], Policy, boolean[]] {
  const limits: Policy = {
    allowedSmartActions: letters,
    allowedSmartLegacyActions: ['*'],
    allowedSmartSubjects: ['patient', 'user'],
    allowedResourceTypes: [],
    allowOfflineAccess: true,
    allowOnlineAccess: true,
  };
  const asked = ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs', 'user/Patient.read', 'offline_access'];
  const set = { requireConsent: true, showFineGrainedScopes: true, accessTokenType: 'Jwt', ...further };
  return [asked, limits, set as never, [true], { ...limits, allowedSmartActions: ['r'] }, [true, false]];
}

/** A case in which the categories of a scope of version 1 could not be granted. */
function onlyVersion1(): ReturnType<typeof everything> {
  const [, limits, set, , later] = everything();
  const none = { ...limits, allowedSmartActions: [], allowedSmartLegacyActions: ['write'] };
  const by = [false, false, true, false, false, false, false];
  return [['openid', 'user/Condition.write', 'patient/Condition.write'], none, set, by, later, by];
}

/** A case in which a scope is asked for that is also one of the categories of another. */
function childOfItsOwn(): ReturnType<typeof everything> {
  const [, limits, set, , later] = everything();
  const by = [true, false, false, false, false, false, false];
  return [
    ['openid', `patient/Observation.rs?${category}laboratory`, 'patient/Observation.rs'],
    limits,
    set,
    by,
    later,
    by,
  ];
}
