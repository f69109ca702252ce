import { notFound, Refusal } from '../../../src/gateway/domain/refusal.js';

describe('a refusal', () => {
  test('is answered as an OperationOutcome', () => {
    const refusal = new Refusal(403, 'forbidden', 'Not "this".', { Allow: 'GET' }, { error: 'insufficient_scope' });
    expect(refusal).toMatchObject({
      name: 'Refusal',
      status: 403,
      headers: { Allow: 'GET' },
      challenge: { error: 'insufficient_scope' },
    });
    expect(JSON.parse(refusal.outcome())).toEqual({
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'error', code: 'forbidden', diagnostics: 'Not "this".' }],
    });
  });

  test('is counted by its code', () => {
    expect(notFound().metricOutcome).toBe('not-found');
  });

  test('says the same of a resource that does not exist and of one that is not permitted', () => {
    expect(notFound()).toMatchObject({
      status: 404,
      code: 'not-found',
      message: 'There is no such resource.',
      headers: {},
      challenge: undefined,
    });
  });
});
