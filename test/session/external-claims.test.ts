import { attemptSeconds } from '../../src/session/domain/external-attempt.js';
import { ExternalClaims } from '../../src/session/domain/external-claims.js';

const claims = (received: Record<string, unknown>) => new ExternalClaims(received);

describe('a claim of an identity provider', () => {
  it.each([
    ['a text', 'a', 'a'],
    ['a number', 7, '7'],
    ['a list of one', ['a'], 'a'],
    ['a text with spaces around it', ' a ', 'a'],
    ['a list with one text', [null, 'a', {}, true], 'a'],
    ['several texts', ['a', 'b'], undefined],
    ['an object', { a: 1 }, undefined],
    ['true', true, undefined],
    ['null', null, undefined],
    ['spaces', '  ', undefined],
    ['a text of two lines', 'a\nb', undefined],
    ['the longest text', 'a'.repeat(250), 'a'.repeat(250)],
    ['a text that is too long', 'a'.repeat(251), undefined],
  ])('with %s has one value or none', (_, received, value) => {
    expect(claims({ claim: received }).value('claim')).toBe(value);
  });

  it('has each of its texts, in their order', () => {
    expect(claims({ groups: ['b', 2, ' a ', '', null, ['c']] }).values('groups')).toEqual(['b', '2', 'a']);
    expect(claims({}).values('groups')).toEqual([]);
  });

  it('is never an inherited object member', () => {
    expect(claims({}).values('constructor')).toEqual([]);
    expect(claims(Object.create({ groups: 'a' })).values('groups')).toEqual([]);
  });

  it('may have a URL as its name', () => {
    expect(claims({ 'https://idp.example/role': 'a' }).value('https://idp.example/role')).toBe('a');
  });
});

describe('the name of a user of an identity provider', () => {
  const parts = { given_name: 'Amelia', family_name: 'Ward', preferred_username: 'award' };
  it.each([
    ['the claim name', { name: 'A. Ward', ...parts }, 'A. Ward'],
    ['first and last name', parts, 'Amelia Ward'],
    ['the first name alone', { given_name: 'Amelia' }, 'Amelia'],
    ['the last name alone', { family_name: 'Ward', preferred_username: 'award' }, 'Ward'],
    ['the user name', { preferred_username: 'award' }, 'award'],
    ['nothing', {}, undefined],
  ])('is %s', (_, received, name) => {
    expect(claims(received).fullName).toBe(name);
  });
});

describe('K-05 the address of a user of an identity provider', () => {
  it.each([
    ['verified', { email_verified: true }, true],
    ['of which the provider says nothing', {}, true],
    ['not verified', { email_verified: false }, false],
    ['not verified, by a text', { email_verified: 'false' }, false],
  ])('%s', (_, more, isTaken) => {
    const received = claims({ email: 'amelia@example.org', name: 'Amelia', ...more });
    expect(received.email).toBe(isTaken ? 'amelia@example.org' : undefined);
    expect(received.claimedEmail).toBe('amelia@example.org');
    expect(received.fullName).toBe('Amelia');
  });
});

describe('the other claims of a user of an identity provider', () => {
  it('are the provider’s texts, and whether address and number are verified', () => {
    const received = {
      given_name: 'Amelia',
      family_name: 'Ward',
      locale: 'de',
      zoneinfo: 'Europe/Berlin',
      phone_number: '+49 30 1',
      gender: 'female',
      email_verified: true,
      phone_number_verified: 'true',
    };
    const { gender: _, ...told } = received;
    expect(claims(received).standardClaims).toStrictEqual({ ...told, email_verified: 'true' });
  });

  it('are unverified where the provider does not verify them', () => {
    const unverified = { email_verified: 'false', phone_number_verified: 'false' };
    expect(claims({ locale: {} }).standardClaims).toStrictEqual(unverified);
    expect(claims({ email_verified: 1, phone_number_verified: 'yes' }).standardClaims).toEqual(unverified);
  });
});

describe('the sign-in of a user at an identity provider', () => {
  it('lasts ten minutes at most', () => {
    expect(attemptSeconds).toBe(600);
  });

  it.each([
    [1_700_000_000, 1_700_000_000],
    [1, 1],
    [0, undefined],
    [-5, undefined],
    ['1700000000', undefined],
    [undefined, undefined],
  ])('with auth_time %p has the time %p', (received, time) => {
    expect(claims({ auth_time: received }).authenticatedAt).toBe(time);
  });

  it.each([
    ['one method that proves it', { amr: ['pwd', 'otp'] }, true],
    ['the level that proves it', { acr: 'gold' }, true],
    ['other methods', { amr: ['pwd'] }, false],
    ['a level as a method', { amr: ['gold'] }, false],
    ['a method as a level', { acr: 'otp' }, false],
    ['neither', {}, false],
  ])('K-15 proves a second factor by %s', (_, received, isProven) => {
    expect(claims(received).provesSecondFactor({ amr: ['otp', 'hwk'], acr: ['gold'] })).toBe(isProven);
  });

  it('K-15 proves nothing by an empty level', () => {
    expect(claims({ acr: '' }).provesSecondFactor({ amr: [], acr: ['gold'] })).toBe(false);
    expect(claims({}).provesSecondFactor({ amr: [], acr: [''] })).toBe(false);
  });
});

describe('the record of a user of an identity provider', () => {
  const bases = ['https://fhir.example/r4', 'https://north.example/fhir'];
  it.each([
    ['Patient/1', 'Patient/1'],
    ['Practitioner/p-1', 'Practitioner/p-1'],
    ['https://fhir.example/r4/Patient/1', 'Patient/1'],
    ['https://north.example/fhir/Patient/1', 'Patient/1'],
    ['https://other.example/Patient/1', undefined],
    ['https://fhir.example/r4Patient/1', undefined],
    ['/Patient/1', undefined],
    ['/r4/Patient/1', undefined],
    ['Observation/1', undefined],
    ['Patient', undefined],
    [['Patient/1', 'Patient/2'], undefined],
    [undefined, undefined],
  ])('in the claim %p is %p', (received, record) => {
    expect(claims({ fhirUser: received }).recordIn('fhirUser', bases)).toBe(record);
  });

  it('may be below a base whose address begins with that of another base', () => {
    const [all, north] = ['https://fhir.example/r4', 'https://fhir.example/r4/north'];
    for (const nested of [
      [all, north],
      [north, all],
    ]) {
      const recordOf = (fhirUser: string) => claims({ fhirUser }).recordIn('fhirUser', nested);
      expect([`${north}/Patient/1`, `${all}/Patient/1`, `${all}/south/Patient/1`].map(recordOf)).toEqual([
        'Patient/1',
        'Patient/1',
        undefined,
      ]);
    }
  });
});

describe('claims that are copied from an identity provider', () => {
  it('have their own name or the configured one, and each value once', () => {
    const received = claims({ department: 'Cardiology', groups: ['b', 'a', 'b'], left: 'out' });
    expect(
      received.copiedClaims([{ claim: 'groups', as: 'hospital-group' }, { claim: 'department' }, { claim: 'none' }]),
    ).toEqual([
      { name: 'hospital-group', value: 'b' },
      { name: 'hospital-group', value: 'a' },
      { name: 'department', value: 'Cardiology' },
    ]);
  });
});
