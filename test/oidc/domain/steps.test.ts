import type { Authorization } from '../../../src/oidc/domain/authorization.js';
import { type RegisteredStep, Steps, stepAddresses } from '../../../src/oidc/domain/steps.js';

const authorization = { scopes: ['openid', 'patient/Goal.rs'] } as Authorization;
const stepsWith = (pages: Partial<Record<RegisteredStep, number>>) => {
  const steps = new Steps();
  for (const [name, count] of Object.entries(pages) as [RegisteredStep, number][]) {
    steps.register({ name, isDue: async () => count > 0, ...(count > 1 && { pages: () => count }) });
  }
  return steps;
};

describe('the steps of an authorization', () => {
  it('have an address each, in the order of the flow', () => {
    expect(Object.entries(stepAddresses)).toEqual([
      ['login', '/login'],
      ['account', '/connect/account'],
      ['two-factor', '/user/two-factor-required'],
      ['family-news', '/user/family-news'],
      ['paused', '/user/paused-app'],
      ['disclaimers', '/user/disclaimer'],
      ['launch-context', '/user/launch-context'],
      ['consent', '/user/consent'],
    ]);
  });

  it('are decided by the module that registers them', async () => {
    const steps = stepsWith({ disclaimers: 1, consent: 0 });
    expect(await steps.isDue('disclaimers', authorization)).toBe(true);
    expect(await steps.isDue('consent', authorization)).toBe(false);
    await expect(steps.isDue('launch-context', authorization)).rejects.toThrow(
      'no module has registered the step launch-context',
    );
  });

  it('grant the scopes that a step agrees to, and none of a step that is due or grants nothing', async () => {
    const steps = stepsWith({ disclaimers: 0 });
    const consent = { name: 'consent' as const, isDue: async () => false };
    steps.register({ ...consent, agreedScopes: async () => ['openid'] });
    expect(await steps.agreedScopes('consent', authorization)).toEqual(['openid']);
    steps.register({ ...consent, agreedScopes: async () => undefined });
    expect(await steps.agreedScopes('consent', authorization)).toBeUndefined();
    await expect(steps.agreedScopes('disclaimers', authorization)).rejects.toThrow('disclaimers does not grant scopes');
  });

  it('have as many pages as those that are due, from the current one on', async () => {
    const steps = stepsWith({ disclaimers: 3, 'launch-context': 0, consent: 1 });
    expect(await steps.pagesFrom('login', authorization)).toBe(5);
    expect(await steps.pagesFrom('disclaimers', authorization)).toBe(4);
    expect(await steps.pagesFrom('launch-context', authorization)).toBe(2);
    expect(await steps.pagesFrom('consent', authorization)).toBe(1);
    expect(await new Steps().pagesFrom('login', authorization)).toBe(1);
  });
});
