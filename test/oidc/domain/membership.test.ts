import { belongsTo } from '../../../src/oidc/domain/membership.js';

describe('membership in the tenant of a FHIR base', () => {
  const account = (...tenants: string[]) => ({
    claims: [{ name: 'ward', value: 'north' }, ...tenants.map((value) => ({ name: 'tenant', value }))],
  });
  const base = (id?: string) => ({ tenant: id === undefined ? undefined : { id } });

  it.each([
    ['an account without a tenant, at the base of no tenant', true, [], undefined],
    ['an account without a tenant, at the base of a tenant', false, [], 'north'],
    ['an account of one tenant, at its base', true, ['north'], 'north'],
    ['an account of two tenants, at the base of the second', true, ['south', 'north'], 'north'],
    ['an account of one tenant, at the base of another', false, ['south'], 'north'],
    ['an account of one tenant, at the base of no tenant', false, ['north'], undefined],
  ])('%s: %p', (_, expected, tenants, id) => {
    expect(belongsTo(account(...tenants), base(id))).toBe(expected);
  });

  it('is given to an administrator at every base, who authorizes clients in trials only', () => {
    for (const id of [undefined, 'north', 'south']) {
      expect(belongsTo({ ...account('north'), userType: 'Admin' }, base(id))).toBe(true);
      expect(belongsTo({ ...account('north'), userType: 'Patient' }, base(id))).toBe(id === 'north');
    }
  });
});
