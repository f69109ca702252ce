import { classify, type FhirRequest } from '../../../src/gateway/domain/fhir-request.js';
import { Refusal } from '../../../src/gateway/domain/refusal.js';
import { relatedTypesOf } from '../../../src/gateway/domain/related-types.js';
import { assertSignIn, type SignIn, type StepUpRule } from '../../../src/gateway/domain/step-up.js';

const now = 1_000_000;
const weak: SignIn = { accountId: 'a', acr: 'aal1', authTime: now };

/** A request as the decisions know it before the sign-in is checked. */
function request(method: string, target: string, condition?: FhirRequest['condition']): FhirRequest {
  const found = classify(method, target);
  const relatedTypes = found.interaction === 'search' ? relatedTypesOf(found.type, found.parameters) : [];
  return { ...found, relatedTypes, ...(condition && { condition }) };
}

/** `refused`; or which of the resources the check refuses, by their code; `passed` without a check. */
function outcome(asked: FhirRequest, rules: StepUpRule[], signIn = weak, isInTransaction = false): unknown {
  const attempt = (act: () => unknown) => {
    try {
      return act();
    } catch (error) {
      expect(error).toBeInstanceOf(Refusal);
      return 'refused';
    }
  };
  const check = attempt(() => assertSignIn(asked, signIn, rules, now, isInTransaction));
  if (typeof check !== 'function') return check ?? 'passed';
  const resource = (code: string) => ({ resourceType: asked.type, category: [{ coding: [{ code }] }] });
  return ['lab', 'vital', 'LAB'].filter((code) => attempt(() => check(resource(code))) === 'refused');
}

const coded = (code: string) => ({ category: [{ coding: [{ code }] }] });
const lab = 'Observation?category=lab';
const reads = [{ actions: 'rs', types: [lab], acr: 'aal2' as const }];

describe('A rule for a category', () => {
  it.each<[method: string, target: string, expected: unknown]>([
    ['GET', '/Observation/1', ['lab']],
    ['HEAD', '/Observation/1', ['lab']],
    ['GET', '/Observation/1/_history/2', ['lab']],
    ['GET', '/Observation/1?_summary=true', 'refused'],
    ['GET', '/Observation/1/_history', 'refused'],
    ['GET', '/Observation/_history', 'refused'],
    ['GET', '/Observation', 'refused'],
    ['GET', '/Observation?category=vital', ['lab']],
    ['GET', '/Observation?category=a,b|c,|d', ['lab']],
    ['GET', '/Observation?category=vital&category=lab', ['lab']],
    ['GET', '/Observation?category=vital,lab', 'refused'],
    ['GET', '/Observation?category=http://x.example|lab', 'refused'],
    ['GET', '/Observation?category=http://x.example|1.0|lab', 'refused'],
    ['GET', '/Observation?category=Lab', 'refused'],
    ['GET', '/Observation?category=x|', 'refused'],
    ['GET', '/Observation?category=vital\\,lab', 'refused'],
    ['GET', '/Observation?category=', 'refused'],
    ['GET', '/Observation?category:not=lab', 'refused'],
    ['GET', '/Observation?category:text=vital', 'refused'],
    ['GET', '/Observation?code=x', 'refused'],
    ['GET', '/Observation/$lastn', 'refused'],
    ['GET', '/Patient/1/Observation', 'refused'],
    ['GET', '/Patient/1/Observation?category=vital', ['lab']],
    ['GET', '/Patient?_revinclude=Observation:subject', 'refused'],
    ['GET', '/Patient?_has:Observation:patient:code=x', 'refused'],
    ['GET', '/Encounter?_include=Encounter:subject:Patient', []],
    ['GET', '/Patient/1/$everything', 'refused'],
    ['GET', '/$export', 'refused'],
    ['POST', '/Subscription', 'refused'],
    ['PUT', '/Subscription/1', 'refused'],
    ['GET', '/Subscription/1', []],
    ['POST', '/Observation', 'passed'],
    ['PUT', '/Observation/1', 'passed'],
    ['PATCH', '/Observation/1', ['lab']],
    ['DELETE', '/Observation/1', 'passed'],
    ['GET', '/Condition', []],
    ['GET', '/Condition/_history', 'refused'],
    ['GET', '/Binary/1', 'passed'],
  ])('for reads has the user sign in, or checks each resource: %s %s', (method, target, expected) => {
    expect(outcome(request(method, target), reads)).toEqual(expected);
  });

  it.each<[method: string, target: string, expected: unknown]>([
    ['POST', '/Observation', ['lab']],
    ['PUT', '/Observation/1', 'refused'],
    ['PATCH', '/Observation/1', 'refused'],
    ['DELETE', '/Observation/1', 'refused'],
    ['POST', '/Condition', []],
    ['POST', '/Subscription', []],
    ['GET', '/Observation/1', 'passed'],
    ['GET', '/Patient/1/$everything', 'passed'],
  ])('for changes has the user sign in, or checks what is created: %s %s', (method, target, expected) => {
    expect(outcome(request(method, target), [{ actions: 'cud', types: [lab], acr: 'aal2' }])).toEqual(expected);
  });

  it.each<[method: string, target: string, actions: string, expected: unknown]>([
    ['POST', '/Observation', 's', 'refused'],
    ['POST', '/Observation', 'r', 'passed'],
    ['PUT', '/Observation?code=x', 'c', 'refused'],
    ['PUT', '/Observation?code=x', 's', 'refused'],
    ['PATCH', '/Observation?code=x', 's', 'refused'],
    ['PATCH', '/Observation?code=x', 'r', 'refused'],
    ['PATCH', '/Observation?code=x', 'c', 'passed'],
    ['DELETE', '/Observation?code=x', 's', 'refused'],
    ['DELETE', '/Observation?code=x', 'r', 'passed'],
  ])('is for what a condition does, too: %s %s, %s', (method, target, actions, expected) => {
    const asked = request(method, target, [['code', 'x']]);
    for (const types of [[lab], ['Observation'], ['*']]) {
      expect(outcome(asked, [{ actions, types, acr: 'aal2' }])).toEqual(expected);
    }
  });

  it.each<[method: string, target: string, expected: unknown]>([
    ['GET', '/Observation/1', 'refused'],
    ['POST', '/Observation', ['lab']],
    ['GET', '/Condition/1', 'refused'],
    ['POST', '/Condition', []],
    ['PUT', '/Condition/1', 'passed'],
  ])('has the user sign in where a transaction reads: %s %s', (method, target, expected) => {
    expect(outcome(request(method, target), [{ actions: 'cr', types: [lab], acr: 'aal2' }], weak, true)).toEqual(
      expected,
    );
  });

  it.each<[object, boolean]>([
    [{ contained: [{ resourceType: 'Patient' }, { resourceType: 'Observation', ...coded('lab') }] }, true],
    [{ ...coded('vital'), contained: [{ resourceType: 'Specimen', ...coded('lab') }] }, true],
    [{ contained: { resourceType: 'Observation', ...coded('lab') } }, true],
    [{ contained: [{ resourceType: 'Observation', ...coded('vital') }, null, 'x'] }, false],
    [{ contained: [] }, false],
  ])('counts what a resource contains: %j', (more, isRefused) => {
    const check = assertSignIn(request('GET', '/Observation/1'), weak, reads, now);
    const attempt = () => check?.({ resourceType: 'Observation', ...more });
    if (isRefused) expect(attempt).toThrow(Refusal);
    else expect(attempt).not.toThrow();
  });

  describe('counts what a resource of another type contains', () => {
    const isRefused = (asked: FhirRequest, resource: object, rules = reads) => {
      try {
        assertSignIn(asked, weak, rules, now)?.({ resourceType: asked.type, ...resource });
        return false;
      } catch (error) {
        if (error instanceof Refusal) return true;
        throw error;
      }
    };
    const contained = (type: string, code: string) => ({ contained: [{ resourceType: type, ...coded(code) }] });

    it.each<[object, boolean]>([
      [contained('Observation', 'lab'), true],
      [{ contained: coded('lab') }, true],
      [contained('Observation', 'vital'), false],
      [contained('Specimen', 'lab'), false],
      [coded('lab'), false],
      [{ contained: [null, 'x'] }, false],
      [{}, false],
    ])('%j: %s', (resource, expected) => {
      const asked = [
        request('GET', '/DiagnosticReport/1'),
        request('GET', '/DiagnosticReport/1/_history/1'),
        request('GET', '/DiagnosticReport/1/_history'),
        request('GET', '/DiagnosticReport?patient=1&_elements=code'),
        request('PATCH', '/DiagnosticReport/1'),
      ];
      for (const one of asked) expect([one.interaction, isRefused(one, resource)]).toEqual([one.interaction, expected]);
      const changes = [{ actions: 'cud', types: [lab], acr: 'aal2' as const }];
      for (const [method, target] of [
        ['POST', '/DiagnosticReport'],
        ['PUT', '/DiagnosticReport/1'],
        ['PATCH', '/DiagnosticReport/1'],
        ['DELETE', '/DiagnosticReport/1'],
      ] as const) {
        expect([method, isRefused(request(method, target), resource, changes)]).toEqual([method, expected]);
      }
    });

    it('a stored Bundle has it in its entries, too', () => {
      const entry = (resource: unknown) => ({ entry: [{ resource: { resourceType: 'Patient' } }, { resource }] });
      const asked = request('GET', '/Bundle/1');
      expect(isRefused(asked, entry({ resourceType: 'Observation', ...coded('lab') }))).toBe(true);
      expect(isRefused(asked, entry({ resourceType: 'List', ...contained('Observation', 'lab') }))).toBe(true);
      expect(isRefused(asked, entry({ resourceType: 'Observation', ...coded('vital') }))).toBe(false);
      expect(isRefused(asked, { entry: [null, 'x', {}] })).toBe(false);
      expect(isRefused(request('GET', '/List/1'), entry({ resourceType: 'Observation', ...coded('lab') }))).toBe(false);
    });

    it('also where a transaction writes it, and is no question for what contains nothing', () => {
      const changes = [{ actions: 'cud', types: [lab], acr: 'aal2' as const }];
      for (const [method, target] of [
        ['POST', '/DiagnosticReport'],
        ['PUT', '/DiagnosticReport/1'],
        ['DELETE', '/DiagnosticReport/1'],
      ] as const) {
        const check = assertSignIn(request(method, target), weak, changes, now, true);
        expect(() => check?.({ resourceType: 'DiagnosticReport', ...contained('Observation', 'lab') })).toThrow(
          Refusal,
        );
      }
      for (const target of ['/Binary/1', '/Parameters/1']) {
        expect(assertSignIn(request('GET', target), weak, reads, now)).toBeUndefined();
      }
      const ofAll = [{ actions: 'r', types: ['*?category=lab'], acr: 'aal2' as const }];
      expect(isRefused(request('GET', '/List/1'), contained('Specimen', 'lab'), ofAll)).toBe(true);
      expect(isRefused(request('GET', '/List/1'), contained('Specimen', 'vital'), ofAll)).toBe(false);
    });

    it('but not for a rule about all of a type, and not while the sign-in is enough', () => {
      const resource = contained('Observation', 'lab');
      const asked = request('GET', '/DiagnosticReport/1');
      expect(isRefused(asked, resource, [{ actions: 'r', types: ['Observation'], acr: 'aal2' }])).toBe(false);
      expect(assertSignIn(asked, { ...weak, acr: 'aal2' }, reads, now)).toBeUndefined();
    });
  });

  it('checks the resources of a further page', () => {
    const page = { ...request('GET', '/Observation'), page: '/?_getpages=1' };
    expect(outcome(page, reads)).toEqual(['lab']);
  });

  it('may name several categories, of which each is one of the rule', () => {
    const rules = [{ actions: 'r', types: ['Observation?category=vital,other', lab], maxAge: 60 }];
    const old = { ...weak, authTime: now - 61 };
    expect(outcome(request('GET', '/Observation/1'), rules, old)).toEqual(['lab', 'vital']);
    expect(outcome(request('GET', '/Observation/1'), rules, { ...weak, authTime: now - 60 })).toBe('passed');
  });

  it('asks nothing of a sign-in that is enough, and nothing of a service', () => {
    for (const signIn of [{ ...weak, acr: 'phr' }, {}]) {
      expect(outcome(request('GET', '/Observation'), reads, signIn)).toBe('passed');
    }
  });

  it('names in the challenge what each rule demands that the resource or its type has', () => {
    const rules: StepUpRule[] = [
      { actions: 'r', types: ['Observation'], maxAge: 600 },
      { actions: 'r', types: [lab], acr: 'aal2', maxAge: 300 },
      { actions: 'r', types: ['Observation?category=vital'], acr: 'phr' },
    ];
    const check = assertSignIn(request('GET', '/Observation/1'), weak, rules, now);
    const refused = (code: string) => {
      try {
        check?.({ category: [{ coding: [{ code }] }] });
      } catch (error) {
        const { acr_values: acr, max_age: age } = (error as Refusal).challenge ?? {};
        return [acr, age];
      }
    };
    expect([refused('lab'), refused('vital'), refused('other')]).toEqual([['aal2', '300'], ['phr', '600'], undefined]);
  });
});
