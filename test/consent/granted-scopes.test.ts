import fc from 'fast-check';
import type { GrantList } from '../../src/contract/grants.js';
import { describeScope } from '../../src/contract/rules/scope-description.js';
import { Agent } from '../support/agent.js';
import { type ClientKind, clientKinds } from '../support/client-kinds.js';
import { alterClient, confidentialApp, sharedSecret } from '../support/clients.js';
import { people } from '../support/people.js';
import { startPortal, type TestPortal } from '../support/portal.js';
import { runs } from '../support/runs.js';
import { basic, SmartApp, type Tokens } from '../support/smart-app.js';

const resourceServer = { ...confidentialApp, clientId: 'resource-server', allowIntrospection: true };
const appOf = (kind: ClientKind) => kind.client('random', { requireConsent: true });
/** Of the case at hand. */
let kind = clientKinds[0] as ClientKind;

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
  portal = await startPortal({
    config: { users: [people.patient], clients: [...clientKinds.map(appOf), resourceServer] },
  });
  browser = new Agent(portal.issuer);
  await new SmartApp(portal, {}, browser).signIn(people.patient);
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

/** A row of the consent page, and the rows below it. */
interface Row {
  value: string;
  required: boolean;
  fineGrainedScopes?: Row[];
}

/** What a person was shown, and what they ticked of it. */
interface Decision {
  offered: Row[];
  ticked: string[];
}

const below = (row: Row): Row[] => row.fineGrainedScopes ?? [];
const all = (row: Row): Row[] => [row, ...below(row).flatMap(all)];

/** Ticks what stands on the consent page as `by` says; a ticked parent is all of its children. */
async function decide(one: SmartApp, returnUrl: string, by: boolean[]): Promise<Decision> {
  const page = (await browser.get(`/api/consent?returnUrl=${encodeURIComponent(returnUrl)}`)).json<{
    identityScopes: Row[];
    apiScopes: Row[];
  }>();
  const offered = [...page.identityScopes, ...page.apiScopes];
  const rows = offered.flatMap(all);
  const required = rows.filter((row) => row.required).map(({ value }) => value);
  const optional = rows.map(({ value }) => value).filter((value) => !required.includes(value));
  const ticked = [...new Set([...required, ...chosen([...new Set(optional)], by)])];
  expect((await one.consent(returnUrl, ticked)).status).toBe(204);
  return { offered, ticked };
}

/** What may be told apart of a record: each is one that a condition of these requests finds, and one that none does. */
const records: Record<string, string>[] = [
  ...['laboratory', 'vital-signs', 'social-history', 'survey', 'procedure'].map((code) => ({ category: code })),
  ...['problem-list-item', 'encounter-diagnosis', 'health-concern', 'sdoh'].map((code) => ({ category: code })),
  { category: 'survey', status: 'final' },
  { _id: '1' },
  {},
];
/** A kind that only wildcards are about, and one that the portal knows nothing of. */
const someTypes = [...types, 'Goal', 'Unheard'];

/** All that a scope opens, piece by piece: whose, of what type, which record, to do what. */
function pieces(scope: string): Set<string> {
  const what = read(scope);
  if (!what) return new Set([scope]);
  const found = records.flatMap((record, index) =>
    what.query.every((condition) => {
      const [name = '', value = ''] = condition.split('=');
      return record[name] === value.split('|').at(-1);
    })
      ? [index]
      : [],
  );
  const whose = what.subject === 'user' ? ['own', 'others'] : ['own'];
  const verbs = new Set([...what.letters].map((letter) => letter.replace('s', 'r')));
  return new Set(
    whose.flatMap((who) =>
      someTypes
        .filter((type) => what.type === '*' || what.type === type)
        .flatMap((type) => found.flatMap((index) => [...verbs].map((verb) => [who, type, index, verb].join(' ')))),
    ),
  );
}

type Pieces = ReadonlySet<string>;
const isSubset = (one: Pieces, other: Pieces) => [...one].every((piece) => other.has(piece));
const areDisjoint = (one: Pieces, other: Pieces) => ![...one].some((piece) => other.has(piece));
const minus = (one: Pieces, other: Pieces) => [...one].filter((piece) => !other.has(piece));

const union = (scopes: string[]) => new Set(scopes.flatMap((scope) => [...pieces(scope)]));

/** What the ticks come to: a leaf is ticked in all rows that it stands in, and opens nothing that is not. */
function agreedLeaves({ offered, ticked }: Decision): { agreed: string[]; refused: string[] } {
  const leaves = (row: Row): string[] => (below(row).length > 0 ? below(row).flatMap(leaves) : [row.value]);
  const unticked = (row: Row): string[] => {
    if (ticked.includes(row.value)) return [];
    return below(row).length > 0 ? below(row).flatMap(unticked) : [row.value];
  };
  const refused = new Set(offered.flatMap(unticked));
  const agreed = new Set(offered.flatMap(leaves).filter((leaf) => !refused.has(leaf)));
  const told = new Map([...agreed, ...refused].map((leaf) => [leaf, pieces(leaf)]));
  const of = (leaf: string) => told.get(leaf) ?? new Set<string>();
  for (let before = -1; before !== agreed.size; ) {
    before = agreed.size;
    for (const leaf of agreed) {
      const spoilt = [...refused].some((other) => {
        const [own, its] = [of(leaf), of(other)];
        const isNarrower = isSubset(own, its) && !isSubset(its, own);
        return !areDisjoint(own, its) && !isNarrower;
      });
      if (spoilt && agreed.delete(leaf)) refused.add(leaf);
    }
  }
  return { agreed: [...agreed], refused: [...refused] };
}

/** The token opens what is ticked, nothing that is not, and no more than a row on the page says. */
function expectAsTicked(token: string[], decision: Decision): void {
  const { agreed, refused } = agreedLeaves(decision);
  const opened = union(token);
  expect(minus(union(agreed), opened)).toEqual([]);
  for (const leaf of refused) {
    const narrower = agreed.filter((one) => isSubset(pieces(one), pieces(leaf)));
    const left = minus(pieces(leaf), union(narrower)).filter((piece) => opened.has(piece));
    expect([leaf, left]).toEqual([leaf, []]);
  }
  const rows = decision.offered.flatMap(all);
  const whole = rows.filter((row) => all(row).every(({ value }) => !refused.includes(value)));
  expect(minus(opened, union(whole.map(({ value }) => value)))).toEqual([]);
}

/** Undefined when the request ended without a code, because nothing that it asked for can be had. */
async function launch(scopes: string[], by: boolean[]): Promise<{ tokens: Tokens; decision?: Decision } | undefined> {
  const one = kind.app(portal, appOf(kind), { scope: scopes.join(' ') }, browser);
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
  const card = clientsPermissions.find(({ clientId }) => clientId === appOf(kind).clientId);
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

describe('A token response', () => {
  it('O-07 B-11 B-12 has exactly the scopes that are requested, allowed and ticked, and never more after a refresh', async () => {
    let granted = 0;
    let refreshed = 0;
    const run = async (
      asked: string[],
      limits: Policy,
      further: object,
      by: boolean[],
      later: Policy,
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
      // Nothing is lost either: what was asked for and is allowed was offered, and what was agreed to is granted.
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
        // Libraries repeat what they asked for at authorization: what was ignored or left out then is so now.
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

/** Requests of whose scopes the first is part of another one. */
const overlapping: string[][] = [
  ['patient/MedicationRequest.rs', 'patient/*.rs'],
  ['patient/Observation.read', 'patient/*.rs'],
  ['patient/Observation.rs', 'patient/*.read'],
  ['patient/Observation.rs', 'patient/Observation.cruds'],
  ['patient/Observation.r', 'patient/*.*'],
  ['patient/Observation.cr', 'patient/Observation.ru'],
  [`patient/Observation.rs?${category}laboratory`, 'patient/Observation.read', 'patient/*.rs'],
  [`patient/Observation.rs?${category}laboratory`, `patient/*.rs?${category}laboratory`],
  ['patient/Condition.rs', 'user/Condition.rs'],
  ['patient/Condition.read', 'user/*.read', 'patient/*.rs'],
  ['patient/Unheard.rs', 'patient/*.rs'],
];

/** A case in which the first scope alone is unticked. */
function allButTheFirst(asked: string[]): ReturnType<typeof everything> {
  const [, limits, set, , later] = everything({ showFineGrainedScopes: false });
  return [['openid', ...asked], limits, set, [false, ...Array.from({ length: 499 }, () => true)], later, [true]];
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
