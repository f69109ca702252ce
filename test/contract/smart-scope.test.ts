import fc from 'fast-check';
import {
  covers,
  maxScopeLength,
  maxScopes,
  parseScope,
  printScope,
  splitScopes,
} from '../../src/contract/rules/scopes/smart-scope.js';
import { parsedResource as parsed, resourceScope, scopeParts } from '../support/clients/resource-scopes.js';

describe('parsing a scope', () => {
  test('SMART scope-v2 reads a version 2 scope', () => {
    expect(parseScope('patient/Observation.rs')).toEqual({
      kind: 'resource',
      text: 'patient/Observation.rs',
      version: 2,
      subject: 'patient',
      type: 'Observation',
      actions: 'rs',
      query: [],
    });
  });

  test.each([
    ['user/*.read', 'rs'],
    ['user/*.write', 'cud'],
    ['user/*.*', 'cruds'],
  ])('reads the version 1 scope %s as %s', (text, actions) => {
    expect(parseScope(text)).toMatchObject({ version: 1, type: '*', actions });
  });

  test('SMART scope-query keeps the query unchanged', () => {
    const text =
      'patient/Observation.rs?category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory&status=final';
    expect(parseScope(text)).toMatchObject({
      text,
      query: [
        ['category', 'http://terminology.hl7.org/CodeSystem/observation-category|laboratory'],
        ['status', 'final'],
      ],
    });
  });

  test.each([
    ['launch', { kind: 'launch', context: null, role: null }],
    ['launch/patient', { kind: 'launch', context: 'patient', role: null }],
    [
      'launch/questionnaire?role=http://example.org/role',
      { context: 'questionnaire', role: 'http://example.org/role' },
    ],
    ['openid', { kind: 'identity' }],
    ['fhirUser', { kind: 'identity' }],
    ['profile', { kind: 'identity' }],
    ['email', { kind: 'identity' }],
    ['phone', { kind: 'identity' }],
    ['offline_access', { kind: 'refresh' }],
    ['online_access', { kind: 'refresh' }],
    ['user/Patient.$everything', { kind: 'operation', subject: 'user', type: 'Patient', operation: 'everything' }],
    ['http://server.fire.ly/auth/scope/erase-operation', { kind: 'extension' }],
    ['__vendor', { kind: 'extension' }],
  ])('recognises %s', (text, expected) => {
    expect(parseScope(text)).toMatchObject({ text, ...expected });
  });

  test.each([
    '',
    'patient/Observation.',
    'patient/Observation',
    'patient/Observation.dus',
    'patient/Observation.sr',
    'patient/Observation.rr',
    'patient/Observation.READ',
    'patient/Observation.readwrite',
    'patient/observation.rs',
    'PATIENT/Observation.rs',
    'patient/../..',
    'patient/Observation.read?category=laboratory',
    'patient/Observation.rs?',
    'patient/Observation.rs?category',
    'patient/Observation.rs?category=',
    'patient/Observation.rs?=laboratory',
    'patient/Observation.rs?category=a&',
    'patient/*.cruds?_id=1;drop',
    'patient/*.rs?_id=1%00',
    'patient/*.rs?_id=1%0a',
    'patient/*.rs?_id=%7f',
    'patient/*.rs?_id=100%',
    'patient/Observation.rs\u0000',
    'patient/Observation.rs\n',
    'patient/Öbservation.rs',
    'launch/Patient',
    'launch/',
    'launch/patient?role=',
    'launch/patient?other=1',
    'launch/patient?role=a;b',
    '/patient/Observation.rs',
    '/user/Patient.$everything',
    'user/Patient.$everything!',
    'relaunch',
    'launch/patientX',
    'x__vendor',
    'xhttps://vendor.example/scope',
    '__vendor}',
    'patient/Patient.rs?1id=a',
    'patient/Patient.rs?i}d=a',
    'patient/Patient.rs?id}=a',
    'openid profile',
    'Openid',
    'address',
    'file:///etc/passwd',
    'https://vendor.example/"scope',
    'https://vendor.example/\\scope',
  ])('ignores %j', (text) => {
    expect(parseScope(text)).toBeUndefined();
  });

  test.each([
    ['a resource type', 64, (text: string) => `patient/P${text.slice(1)}.rs`],
    ['the resource type of an operation', 64, (text: string) => `user/P${text.slice(1)}.$run`],
    ['the name of an operation', 64, (text: string) => `user/Patient.$${text}`],
    ['a launch context', 64, (text: string) => `launch/${text}`],
    ['a search parameter', 100, (text: string) => `patient/Patient.rs?${text}=1`],
  ])('reads %s of at most %i characters', (_, longest, scope) => {
    expect(parseScope(scope('a'.repeat(longest)))).toBeDefined();
    expect(parseScope(scope('a'.repeat(longest + 1)))).toBeUndefined();
  });

  test('ignores a scope that is longer than 2000 characters', () => {
    expect([maxScopeLength, maxScopes]).toEqual([2000, 500]);
    const scope = (length: number) => `patient/Patient.rs?_id=${'a'.repeat(length - 'patient/Patient.rs?_id='.length)}`;
    expect(parseScope(scope(maxScopeLength))).toBeDefined();
    expect(parseScope(scope(maxScopeLength + 1))).toBeUndefined();
  });

  test('never throws for any text', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (text) => void parseScope(text)));
  });

  test('reads what it prints', () => {
    fc.assert(
      fc.property(scopeParts, (scope) => {
        const text = printScope(scope);
        expect(parseScope(text)).toEqual({ kind: 'resource', text, ...scope });
      }),
    );
  });

  test('prints version 1 only for the actions that it has a word for', () => {
    const scope = { version: 1 as const, subject: 'user' as const, type: 'Patient', query: [] };
    expect(printScope({ ...scope, actions: 'cud' })).toBe('user/Patient.write');
    expect(() => printScope({ ...scope, actions: 'cr' })).toThrow("No version 1 access word stands for 'cr'");
  });

  test('splits at single spaces, each scope once', () => {
    expect(splitScopes('openid  launch openid\tx ')).toEqual(['openid', 'launch', 'openid\tx']);
  });

  test('A-14 finishes with 10 000 scopes and with hostile repetitions', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `patient/Observation.rs?category=c${i}`).join(' ');
    const hostile = `patient/*.rs?${'a=b&'.repeat(480)}${';'.repeat(30)}`;
    // A pattern with catastrophic backtracking would exceed the suite's time limit.
    expect(splitScopes(many).map(parsed)).toHaveLength(10_000);
    expect(parseScope(hostile)).toBeUndefined();
  });
});

describe('a comparison of scopes', () => {
  const check = (granted: string, asked: string) => covers(parsed(granted), parsed(asked));

  test.each([
    ['patient/*.cruds', 'patient/Observation.rs'],
    ['patient/*.read', 'patient/Observation.s'],
    ['patient/Observation.rs', 'patient/Observation.rs?category=laboratory'],
    ['patient/Observation.rs?category=laboratory', 'patient/Observation.r?status=final&category=laboratory'],
    ['patient/Observation.rs?category=laboratory,survey', 'patient/Observation.rs?category=survey'],
    ['patient/Observation.rs?category=survey,laboratory', 'patient/Observation.rs?category=http://codes|laboratory'],
  ])('finds that %s covers %s', (granted, asked) => {
    expect(check(granted, asked)).toBe(true);
  });

  test.each([
    ['patient/Observation.rs', 'patient/Observation.cruds'],
    ['patient/Observation.rs', 'patient/*.rs'],
    ['user/*.cruds', 'patient/Observation.rs'],
    ['patient/Observation.rs?category=laboratory', 'patient/Observation.rs'],
    ['patient/Observation.rs?category=laboratory', 'patient/Observation.rs?category=survey'],
    ['patient/Observation.rs?category=laboratory', 'patient/Observation.rs?category=LABORATORY'],
    ['patient/Observation.rs?category=laboratory', 'patient/Observation.rs?category=laboratory,survey'],
    ['patient/Observation.rs?category=http://codes|laboratory', 'patient/Observation.rs?category=laboratory'],
    ['patient/Observation.rs?category=codes|laboratory', 'patient/Observation.rs?category=other|codes|laboratory'],
    ['patient/Observation.rs?status=final,amended', 'patient/Observation.rs?status=final'],
  ])('finds that %s does not cover %s', (granted, asked) => {
    expect(check(granted, asked)).toBe(false);
  });

  test('finds that scopes of other kinds cover only themselves', () => {
    const launchPatient = parseScope('launch/patient');
    const launch = parseScope('launch');
    expect(launch && launchPatient && covers(launch, launchPatient)).toBe(false);
    expect(launch && covers(launch, launch)).toBe(true);
    const expand = parseScope('user/ValueSet.$expand');
    expect(expand && covers(parsed('user/ValueSet.rs'), expand)).toBe(false);
    expect(expand && covers(expand, parsed('user/ValueSet.rs'))).toBe(false);
  });

  test('is reflexive and transitive', () => {
    fc.assert(
      fc.property(resourceScope, resourceScope, resourceScope, (a, b, c) => {
        expect(covers(a, a)).toBe(true);
        if (covers(a, b) && covers(b, c)) expect(covers(a, c)).toBe(true);
      }),
    );
  });
});
