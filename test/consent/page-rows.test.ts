import fc from 'fast-check';
import { Kinds, Offer } from '../../src/consent/application/offer.js';
import type { ClientSettings } from '../../src/contract/clients/client-settings.js';
import { defaultClientForm } from '../../src/contract/rules/clients/client-fields.js';
import { type AccessRow, accessRows, type Reach } from '../../src/contract/rules/scopes/access-rows.js';
import { type Act, acts, summaryOf } from '../../src/contract/rules/scopes/access-summary.js';
import { parseScope } from '../../src/contract/rules/scopes/smart-scope.js';
import type { AuthorizingClient } from '../../src/oidc/domain/authorization.js';
import { allowedForClient, parseRequest } from '../../src/oidc/domain/scope-request.js';
import { runs } from '../support/runs.js';

const types = ['Condition', 'Goal', 'Observation', 'Patient', 'Practitioner'];
const letters = ['c', 'r', 'u', 'd', 's'];

const access = fc.oneof(
  fc.subarray(letters, { minLength: 1 }).map((some) => some.join('')),
  fc.constantFrom('read', 'write', '*', 'rs', 'cud'),
  fc.constantFrom(
    'rs?category=laboratory',
    'cruds?category=survey&status=final',
    'rs?_id=1',
    'cud?category=laboratory',
  ),
);
const resource = fc
  .tuple(fc.constantFrom('patient', 'patient', 'user'), fc.constantFrom('*', ...types, 'Odd'), access)
  .map(([subject, type, what]) => `${subject}/${type}.${what}`);
const other = fc.constantFrom(
  ...['openid', 'profile', 'launch/patient', 'offline_access', 'online_access'],
  ...['user/Patient.$everything', 'patient/Observation.$everything', '__vendor', 'https://vendor.example/all'],
);
const request = fc.array(fc.oneof({ weight: 3, arbitrary: resource }, other), { minLength: 1, maxLength: 9 });
const policy = fc.record({
  allowedSmartActions: fc.subarray(letters),
  allowedSmartLegacyActions: fc.subarray(['read', 'write', '*']),
  allowedSmartSubjects: fc.subarray(['patient', 'user']),
  allowedResourceTypes: fc.oneof(fc.constant([]), fc.subarray(types)),
  allowOfflineAccess: fc.boolean(),
  allowOnlineAccess: fc.boolean(),
  showFineGrainedScopes: fc.boolean(),
});

const page = fc.tuple(request, policy, fc.boolean()).map(([asked, limits, isPatient]) => {
  const settings = { ...defaultClientForm(), ...limits } as ClientSettings;
  const scopes = allowedForClient(parseRequest(asked.join(' ')) ?? [], settings, {
    specialScopes: ['__vendor', 'https://vendor.example/all'],
    served: undefined,
  });
  const client = { clientId: 'app', clientName: 'App', settings } as unknown as AuthorizingClient;
  const offer = new Offer(scopes, client, new Kinds(isPatient ? 'Patient' : 'Practitioner', types));
  const texts = new Set(offer.texts);
  return { isPatient, offer, granted: texts.size > 0 ? offer.grantedScopes([...texts]) : [] };
});

/** The permissions of a granted scope, read without the code that is tested. */
function permitted(scope: string, isPatient: boolean) {
  const [, subject, type = '', what = '', query] = /^(patient|user)\/(\*|\w+)\.([a-z]+|\*)(\?.+)?$/.exec(scope) ?? [];
  if (subject === undefined) return undefined;
  const reach: Reach = subject === 'patient' || isPatient ? 'one' : 'many';
  const actions = { read: 'rs', write: 'cud', '*': 'cruds' }[what] ?? what;
  const letters = { see: /[rs]/, add: /c/, change: /u/, delete: /d/ };
  const verbs = acts.filter((act) => letters[act].test(actions));
  return {
    reach,
    type,
    verbs,
    actions,
    isPart: query !== undefined,
    isCategory: /^\?category=[^&]*$/.test(query ?? ''),
  };
}

type Permitted = NonNullable<ReturnType<typeof permitted>>;

/** The facts of the sentence for these grants: everything, or the kinds and whether they are granted in part. */
function expectedOf(all: Permitted[], verb: Act, reach: Reach) {
  const some = all.filter((one) => one.reach === reach && one.verbs.includes(verb));
  if (some.some(({ type, isPart }) => type === '*' && !isPart)) return 'everything';
  // Patients may not change what all of them share, and create no patient. People have no category.
  const kindsOf = ({ type, actions, isCategory }: Permitted) =>
    type === '*'
      ? types
          .filter((kind) => kind !== 'Practitioner' || verb === 'see' || reach === 'many')
          .filter((kind) => kind !== 'Patient' || actions !== 'c' || reach === 'many')
          .filter((kind) => !isCategory || !['Practitioner', 'Patient'].includes(kind))
      : [type];
  const kinds = [...new Set(some.flatMap(kindsOf))].toSorted();
  return kinds.map((type) => ({
    type,
    partly: some.filter((one) => kindsOf(one).includes(type)).every(({ isPart }) => isPart),
  }));
}

const withBelow = (row: AccessRow): AccessRow[] => [row, ...row.children.flatMap(withBelow)];

describe('The consent page of any request', () => {
  it('sums up exactly what accepting everything grants', () => {
    let named = 0;
    fc.assert(
      fc.property(page, ({ isPatient, offer, granted }) => {
        const { asked, others, offline } = summaryOf(offer.apiScopes, isPatient);
        const all = granted.flatMap((scope) => permitted(scope, isPatient) ?? []);
        for (const reach of ['one', 'many', 'all'] as const) {
          const facts = asked.find((one) => one.reach === reach);
          for (const verb of acts) {
            const told = facts?.[verb] ?? [];
            const sorted = told === 'everything' ? told : told.toSorted((one, next) => (one.type < next.type ? -1 : 1));
            expect([reach, verb, sorted]).toEqual([reach, verb, expectedOf(all, verb, reach)]);
            named += told.length;
          }
        }
        expect(others).toBe(granted.filter((scope) => /\$|^__|^https:/.test(scope)).length);
        expect(offline).toBe(granted.includes('offline_access'));
      }),
      runs(400, 20_000),
    );
    expect(named).toBeGreaterThan(100);
  });

  it.each(['', '?category=survey', '?status=final', '?category=survey&status=final', '?_id=1'])(
    'has no row for the creation of a patient in one record, for a wildcard with the condition %j',
    (condition) => {
      const kinds = new Kinds('Practitioner', ['Goal', 'Patient']);
      expect(kinds.ofWildcard(parseScope(`patient/*.c${condition}`))).toEqual([`patient/Goal.c${condition}`]);
    },
  );

  it('has a row for everything that can be ticked, each kind of data once', () => {
    fc.assert(
      fc.property(page, ({ isPatient, offer }) => {
        const { data, other: others, lasting } = accessRows(offer.apiScopes, isPatient);
        const rows = [...data, ...others, ...lasting].flatMap(withBelow);
        const onRows = new Set(rows.flatMap(({ leaves, along }) => [...leaves, ...along]));
        const identity = new Set(offer.identityScopes.map(({ value }) => value));
        expect([...onRows].toSorted()).toEqual(offer.leaves.filter((leaf) => !identity.has(leaf)).toSorted());
        expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
        for (const { leaves, along, children } of rows) {
          const within = new Set([...leaves, ...along]);
          expect(
            children.flatMap((child) => [...child.leaves, ...child.along]).filter((leaf) => !within.has(leaf)),
          ).toEqual([]);
        }
      }),
      runs(400, 20_000),
    );
  });
});
