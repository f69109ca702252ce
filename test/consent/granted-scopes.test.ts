import fc from 'fast-check';
import type { GrantList } from '../../src/contract/own-record/grants.js';
import { describeScope } from '../../src/contract/rules/scopes/scope-description.js';
import { basicAuthorization, SmartApp, type Tokens } from '../support/apps/smart-app.js';
import { type ClientKind, clientKinds } from '../support/clients/client-kinds.js';
import { alterClient, confidentialApp, sharedSecret } from '../support/clients/clients.js';
import {
  beyond,
  type ConsentDecision,
  type ConsentRow,
  category,
  expectAsTicked,
  isAllowed,
  notAllowed,
  opensNothing,
  type ScopePolicy,
  types,
  withRowsBelow,
} from '../support/clients/scope-oracle.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { runs } from '../support/runs.js';
import { people } from '../support/users/people.js';

const resourceServer = { ...confidentialApp, clientId: 'resource-server', allowIntrospection: true };
const appOf = (kind: ClientKind) => kind.client('random', { requireConsent: true });
/** The kind of the current case. */
let kind = clientKinds[0] as ClientKind;

let portal: TestPortal;
let browser: Agent;

beforeAll(async () => {
  portal = await startPortal({
    config: { users: [people.patient], clients: [...clientKinds.map(appOf), resourceServer] },
  });
  browser = new Agent(portal.issuer);
  await new SmartApp(portal, {}, browser).signIn(people.patient);
});

afterAll(() => portal.close());

const letters = ['c', 'r', 'u', 'd', 's'];
const access = fc.oneof(
  fc.subarray(letters, { minLength: 1 }).map((some) => some.join('')),
  fc.constantFrom('read', 'write', '*'),
  fc.constantFrom('rs?_id=1', `rs?${category}laboratory`, `rs?${category}survey&status=final`),
);
const resource = fc
  .tuple(fc.constantFrom('patient', 'patient', 'user', 'system'), fc.constantFrom('*', '*', ...types), access)
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
const policy: fc.Arbitrary<ScopePolicy> = fc.record({
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
/** For the first, second, … entry of a list, repeated for longer lists. */
const choices = fc.array(fc.boolean(), { minLength: 7, maxLength: 7 });
const chosen = (list: string[], by: boolean[]) => list.filter((_, index) => by[index % by.length]);

/** Ticks the optional rows of the consent page that `by` chooses; a ticked parent includes all of its children. */
async function decide(one: SmartApp, returnUrl: string, by: boolean[]): Promise<ConsentDecision> {
  const page = (await browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<{
    identityScopes: ConsentRow[];
    apiScopes: ConsentRow[];
  }>();
  const offered = [...page.identityScopes, ...page.apiScopes];
  const rows = offered.flatMap(withRowsBelow);
  const required = rows.filter((row) => row.required).map(({ value }) => value);
  const optional = rows.map(({ value }) => value).filter((value) => !required.includes(value));
  const ticked = [...new Set([...required, ...chosen([...new Set(optional)], by)])];
  expect((await one.consent(returnUrl, ticked)).status).toBe(204);
  return { offered, ticked };
}

/** Undefined when the request is refused because none of its scopes can be granted. */
async function launch(
  scopes: string[],
  by: boolean[],
): Promise<{ tokens: Tokens; decision?: ConsentDecision } | undefined> {
  const one = kind.app(portal, appOf(kind), { scope: scopes.join(' ') }, browser);
  let at = new URL(await one.follow(`/connect/authorize?${one.query()}`));
  let decision: ConsentDecision | undefined;
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

/** The permissions of the app in the user's list of apps. */
async function shownAfterwards(): Promise<string[]> {
  const { clientsPermissions } = (await browser.get('/api/grant')).json<GrantList & Record<string, unknown>>();
  const card = clientsPermissions.find(({ clientId }) => clientId === appOf(kind).clientId);
  return [...(card?.identityGrantNames ?? []), ...(card?.apiGrantData ?? []).map((one) => one.displayName)].toSorted();
}

/** The scopes of the token response, which introspection confirms. */
async function scopesOf({ access_token: token, scope }: Tokens): Promise<string[]> {
  const headers = basicAuthorization(resourceServer.clientId, sharedSecret);
  const told = await new Agent(portal.issuer).postForm('/connect/introspect', { token }, { headers });
  expect(told.json()).toMatchObject({ active: true, scope });
  return scope.split(' ');
}

/** The other generated scopes are invalid, unknown, or open nothing. */
const isKnown = (scope: string) =>
  !['made-up', 'patient/*.sr', 'user/Patient.$match'].includes(scope) && !opensNothing(scope);

describe('A token response', () => {
  it('O-07 B-11 B-12 has exactly the scopes that are requested, allowed and ticked, and never more after a refresh', async () => {
    let granted = 0;
    let refreshed = 0;
    const run = async (
      asked: string[],
      limits: ScopePolicy,
      further: object,
      by: boolean[],
      later: ScopePolicy,
      fewer: boolean[],
      next: ClientKind,
    ): Promise<void> => {
      kind = next;
      const app = appOf(kind);
      await alterClient(portal, app.clientId, { settings: { ...limits, ...further } });
      await browser.send(`/api/grant?clientId=${app.clientId}`, { method: 'DELETE' });
      const launched = await launch(asked, by);
      if (!launched) return;
      const first = await scopesOf(launched.tokens);
      granted += 1;
      expect(beyond(first, asked)).toEqual([]);
      expect(notAllowed(first, limits)).toEqual([]);
      // Nothing is lost either: each scope that is requested and allowed was offered, and each that was ticked is
      // granted.
      const possible = asked.filter((scope) => isKnown(scope) && isAllowed(scope, limits));
      const offered = launched.decision?.offered.map(({ value }) => value) ?? first;
      expect(possible.filter((scope) => !offered.includes(scope))).toEqual([]);
      if (launched.decision) expectAsTicked(first, launched.decision);
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
        const answer = await kind.app(portal, app).refresh(token, parameters);
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
        // Libraries repeat the scopes of the authorization request: those that were not granted then are left out
        // again.
        if (wanted === asked && policyNow === limits) expect(now.toSorted()).toEqual(inFull);
        inFull = now.toSorted();
        token = renewed.refresh_token;
      }
    };
    const property = fc.asyncProperty(
      request,
      policy,
      settings,
      choices,
      policy,
      choices,
      fc.constantFrom(...clientKinds),
      run,
    );
    await fc.assert(property, {
      ...runs(25, 500),
      examples: [
        everything(),
        everything({ requireConsent: false }),
        onlyVersion1(),
        childOfItsOwn(),
        kindWithinAnother(),
        ...overlapping.map(allButTheFirst),
      ].map((example, index): [...typeof example, ClientKind] => [
        ...example,
        clientKinds[index % clientKinds.length] as ClientKind,
      ]),
    });
    // The property must not hold because nothing was ever granted.
    expect(granted).toBeGreaterThanOrEqual(2);
    expect(refreshed).toBeGreaterThanOrEqual(4);
  });
});

/** All is granted and refreshed. */
function everything(further: object = {}): [string[], ScopePolicy, never, boolean[], ScopePolicy, boolean[]] {
  const limits: ScopePolicy = {
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

/** The categories of a scope of version 1 cannot be granted. */
function onlyVersion1(): ReturnType<typeof everything> {
  const [, limits, set, , later] = everything();
  const none = { ...limits, allowedSmartActions: [], allowedSmartLegacyActions: ['write'] };
  const by = [false, false, true, false, false, false, false];
  return [['openid', 'user/Condition.write', 'patient/Condition.write'], none, set, by, later, by];
}

/** Requests whose first scope is part of another one. */
const overlapping: string[][] = [
  ['patient/MedicationRequest.rs', 'patient/*.rs'],
  ['patient/Observation.read', 'patient/*.rs'],
  ['patient/Observation.rs', 'patient/*.read'],
  ['patient/Observation.rs', 'patient/Observation.cruds'],
  ['patient/Observation.r', 'patient/*.*'],
  ['patient/Observation.write', 'patient/*.write', 'patient/*.read'],
  ['patient/Observation.cr', 'patient/Observation.ru'],
  [`patient/Observation.rs?${category}laboratory`, 'patient/Observation.read', 'patient/*.rs'],
  [`patient/Observation.rs?${category}laboratory`, `patient/*.rs?${category}laboratory`],
  ['patient/Condition.rs', 'user/Condition.rs'],
  ['patient/Condition.read', 'user/*.read', 'patient/*.rs'],
  ['patient/Unheard.rs', 'patient/*.rs'],
];

/** The first scope alone is unticked. */
function allButTheFirst(asked: string[]): ReturnType<typeof everything> {
  const [, limits, set, , later] = everything({ showFineGrainedScopes: false });
  return [['openid', ...asked], limits, set, [false, ...Array.from({ length: 499 }, () => true)], later, [true]];
}

/** A scope is requested that is also one of the categories of another. */
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

/** All that changes a kind is unticked; the part that deletes it is ticked whole, with what has no category. */
function kindWithinAnother(): ReturnType<typeof everything> {
  const [, limits, set, , later] = everything();
  const by = [false, true, false, false, false, false, false];
  const onlyDelete = { ...limits, allowedSmartActions: ['d'] };
  return [['openid', 'patient/Observation.write', 'patient/*.ds'], onlyDelete, set, by, later, [true]];
}
