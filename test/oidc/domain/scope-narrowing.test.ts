import fc from 'fast-check';
import { covers, parseScope } from '../../../src/contract/rules/scopes/smart-scope.js';
import { narrow, type ScopeSettings } from '../../../src/oidc/domain/scope-narrowing.js';
import { parsedResource, resourceScope } from '../../support/clients/resource-scopes.js';
import { scopeSettings, unlimited, unread } from '../../support/clients/scope-policies.js';
import { runs } from '../../support/runs.js';

describe('limiting scopes to those of a client', () => {
  const check = (text: string, changes: Partial<ScopeSettings> = {}) => {
    const scope = parseScope(text);
    return (
      scope && narrow(scope, { ...unlimited, ...changes }, { specialScopes: ['__vendor'], served: undefined }).granted
    );
  };

  test('returns an allowed scope unchanged', () => {
    fc.assert(
      fc.property(resourceScope, (scope) => expect(narrow(scope, unlimited, unread).granted).toEqual([scope.text])),
    );
  });

  test('never grants more than requested, nor more than the client may have', () => {
    fc.assert(
      fc.property(resourceScope, scopeSettings, (scope, limits) => {
        for (const text of narrow(scope, limits, unread).granted) {
          const granted = parsedResource(text);
          expect(covers(scope, granted)).toBe(true);
          expect(granted.version).toBe(scope.version);
          expect(narrow(granted, limits, unread)).toEqual({ granted: [text], narrowedBy: [] });
          expect(limits.allowedSmartSubjects).toContain(granted.subject);
          if (limits.allowedResourceTypes.length > 0) expect(limits.allowedResourceTypes).toContain(granted.type);
        }
      }),
      runs(100, 50_000),
    );
  });

  test('removes actions that are not allowed and keeps the query', () => {
    const changes: Partial<ScopeSettings> = { allowedSmartActions: ['r', 's'] };
    expect(check('patient/Observation.cruds?category=laboratory', changes)).toEqual([
      'patient/Observation.rs?category=laboratory',
    ]);
    expect(check('patient/Observation.cud', changes)).toEqual([]);
  });

  test('replaces a wildcard by a scope for each allowed type', () => {
    expect(check('patient/*.rs', { allowedResourceTypes: ['Patient', 'Observation'] })).toEqual([
      'patient/Patient.rs',
      'patient/Observation.rs',
    ]);
    expect(check('patient/*.read', { allowedResourceTypes: ['Patient'] })).toEqual(['patient/Patient.read']);
  });

  test('removes types and subjects that are not allowed', () => {
    expect(check('patient/Condition.rs', { allowedResourceTypes: ['Patient'] })).toEqual([]);
    expect(check('system/Patient.rs', { allowedSmartSubjects: ['patient', 'user'] })).toEqual([]);
  });

  test('SMART scope-v1 returns version 1 scopes as version 1, by the legacy actions', () => {
    const legacy = (...words: ScopeSettings['allowedSmartLegacyActions']) => ({
      allowedSmartLegacyActions: words,
      allowedSmartActions: [],
    });
    expect(check('patient/Patient.*', legacy('read'))).toEqual(['patient/Patient.read']);
    expect(check('patient/Patient.*', legacy('write'))).toEqual(['patient/Patient.write']);
    expect(check('patient/Patient.*', legacy('read', 'write'))).toEqual(['patient/Patient.*']);
    expect(check('patient/Patient.read', legacy('*'))).toEqual(['patient/Patient.read']);
    expect(check('patient/Patient.write', legacy('read'))).toEqual([]);
    expect(check('patient/Patient.read', legacy())).toEqual([]);
    expect(check('patient/Patient.rs', legacy('*'))).toEqual([]);
  });

  test('permits refresh, operation and extension scopes by the client’s settings', () => {
    expect(check('offline_access', { allowOfflineAccess: false })).toEqual([]);
    expect(check('online_access', { allowOfflineAccess: false })).toEqual(['online_access']);
    expect(check('user/Patient.$everything')).toEqual(['user/Patient.$everything']);
    expect(check('system/*.$export', { allowedResourceTypes: ['Patient'] })).toEqual(['system/*.$export']);
    expect(check('user/Patient.$everything', { allowedOperationScopes: ['system/*.$export'] })).toEqual([]);
    expect(check('user/Patient.$everything', { allowedResourceTypes: ['Observation'] })).toEqual([]);
    expect(check('user/Patient.$everything', { allowedSmartSubjects: ['patient'] })).toEqual([]);
    expect(check('__vendor')).toEqual(['__vendor']);
    expect(check('__vendor', { allowFirelySpecialScopes: false })).toEqual([]);
    expect(check('__other')).toEqual([]);
    expect(check('launch/patient')).toEqual(['launch/patient']);
  });

  test.each([
    ['email', false],
    ['phone', false],
    ['openid', true],
    ['fhirUser', true],
    ['profile', true],
  ])('grants %s to a client without contact scopes: %p', (text, isGranted) => {
    expect(check(text)).toEqual([text]);
    expect(check(text, { allowContactScopes: false })).toEqual(isGranted ? [text] : []);
  });
});
