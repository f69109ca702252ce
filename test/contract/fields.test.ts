import fc from 'fast-check';
import { amountOf, describeDuration } from '../../src/contract/messages/duration.js';
import {
  accessTokenSeconds,
  jwtGraceSeconds,
  lifetimeMessage,
  lifetimeProblem,
  parseLifetime,
} from '../../src/contract/rules/lifetime.js';
import { tagColorProblem, tagPalette, tagProblems, tagValueProblem } from '../../src/contract/rules/tag.js';
import { textProblem } from '../../src/contract/rules/text.js';
import {
  claimDuplicate,
  claimIncomplete,
  claimProblems,
  claimReserved,
  fhirUserMandatory,
  fhirUserOnce,
  userClaimProblems,
} from '../../src/contract/rules/users/claims.js';
import { emailProblem } from '../../src/contract/rules/users/email.js';
import {
  fulfilsPasswordRules,
  hasPasswordChecklist,
  passwordRules,
  passwordsDiffer,
} from '../../src/contract/rules/users/password.js';
import { userChangeProblems } from '../../src/contract/rules/users/user-form.js';
import {
  calledUrlProblem,
  isUnsecured,
  linkProblem,
  maxInitiateLoginUri,
  redirectUriProblem,
} from '../../src/contract/rules/web-address.js';
import { textOf } from '../support/messages.js';

describe('a lifetime', () => {
  test.each([
    ['90', 7_776_000],
    ['01:00:00', 3600],
    ['00:00:01', 1],
    ['1.02:03:04', 93_784],
    ['0', 0],
  ])('%s is %d seconds', (text, seconds) => {
    expect(parseLifetime(text)).toBe(seconds);
  });

  it.each([
    ['00:10:00', 600],
    ['1', 86_400],
    ['', 3_600],
    ['forever', 3_600],
  ])('of access tokens, stored as "%s", is %i seconds', (accessTokenLifetime, seconds) => {
    expect(accessTokenSeconds({ accessTokenLifetime })).toBe(seconds);
  });

  const wrong = ['', ' 1', '-1', '1.5', '24:00:00', '00:60:00', '00:00:60', '1:00:00', '1d', '1.00:00', '123456', '１'];
  test.each([...wrong, '123456.00:00:00'])('is refused as %j', (text) => {
    expect(textOf(lifetimeProblem(text))).toBe('Lifetime is invalid. Format: "d (days) or d.hh:mm:ss (timespan)"');
    expect(lifetimeProblem(text)).toEqual(lifetimeMessage);
  });

  test('is at least one second', () => {
    for (const text of ['00:00:00', '0']) {
      expect(textOf(lifetimeProblem(text))).toBe('Lifetime must be at least 00:00:01');
    }
    expect(lifetimeProblem('00:00:01')).toBeUndefined();
  });

  test('of a JWT ends five minutes later at the gateway', () => {
    expect(jwtGraceSeconds).toBe(300);
  });

  test('may have any days, hours, minutes and seconds within its bounds', () => {
    const part = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(part(99_999), part(23), part(59), part(59), (d, h, m, s) => {
        const two = (n: number) => String(n).padStart(2, '0');
        expect(parseLifetime(`${d}.${two(h)}:${two(m)}:${two(s)}`)).toBe(d * 86_400 + h * 3600 + m * 60 + s);
      }),
    );
  });

  test.each([
    [0, '0 seconds'],
    [1, '1 second'],
    [3600, '1 hour'],
    [7_776_000, '90 days'],
    [93_784, '1 day 2 hours 3 minutes 4 seconds'],
  ])('of %d seconds is described as %s', (seconds, text) => {
    expect(describeDuration(seconds)).toBe(text);
  });

  test.each(['day', 'hour', 'minute', 'second'] as const)('has the same English words for a %s as `Intl`', (unit) => {
    const format = new Intl.NumberFormat('en-US', { style: 'unit', unit, unitDisplay: 'long', useGrouping: false });
    for (const number of [0, 1, 2, 11, 1000]) expect(amountOf(number, unit, 'en-US')).toBe(format.format(number));
  });
});

describe('the password rules', () => {
  test('have a message for two passwords that differ', () => {
    expect(textOf(passwordsDiffer)).toBe('Please make sure your password match.');
  });

  const off = {
    requireDigit: false,
    requiredLength: 0,
    requireUppercase: false,
    requireLowercase: false,
    requireNonAlphanumeric: false,
  };
  const on = {
    requireDigit: true,
    requiredLength: 12,
    requireUppercase: true,
    requireLowercase: true,
    requireNonAlphanumeric: true,
  };

  test('list each active rule, and whether it is met', () => {
    expect(passwordRules('brookLantern72', on).map(({ text, met }) => ({ text: textOf(text), met }))).toEqual([
      { text: 'At least 12 characters', met: true },
      { text: '1 lowercase letter', met: true },
      { text: '1 uppercase letter', met: true },
      { text: '1 number', met: true },
      { text: '1 symbol', met: false },
    ]);
    expect(passwordRules('', off)).toEqual([]);
  });

  test('limit the length from one character', () => {
    expect(passwordRules('', { ...off, requiredLength: 1 }).map(({ text, met }) => [textOf(text), met])).toEqual([
      ['At least 1 character', false],
    ]);
  });

  test('have no checklist entry for a single letter case', () => {
    expect(hasPasswordChecklist(off)).toBe(false);
    expect(hasPasswordChecklist({ ...off, requireLowercase: true })).toBe(false);
    expect(hasPasswordChecklist({ ...off, requireLowercase: true, requireUppercase: true })).toBe(true);
    expect(hasPasswordChecklist({ ...off, requiredLength: 1 })).toBe(true);
    expect(fulfilsPasswordRules('UPPER', { ...off, requireLowercase: true })).toBe(false);
  });

  test('count characters, not code units, and letters of every script', () => {
    expect(fulfilsPasswordRules('😀😀', { ...off, requiredLength: 3 })).toBe(false);
    expect(fulfilsPasswordRules('жЖ٣!', { ...on, requiredLength: 4 })).toBe(true);
    expect(fulfilsPasswordRules('', off)).toBe(false);
  });
});

describe('an e-mail address', () => {
  test.each([
    'amelia@northbrook.example',
    'a@b.c',
    ' padded@mail.example ',
    'jörg@müller.example',
    `${'a'.repeat(250)}@b.c`,
  ])('is accepted as %s', (text) => {
    expect(emailProblem(text)).toBeUndefined();
  });

  test.each([
    'amelia',
    '@mail.example',
    'amelia@',
    'amelia@mail',
    'amelia@.example',
    'amelia@mail.',
    'a@b@c.d',
    'a b@c.d',
    'a@b..c',
    'a@b.c\u0000',
    `${'a'.repeat(251)}@b.c`,
    '\uFB01nn@mail.example',
    'jo\u0308rg@mail.example',
  ])('is refused as %j', (text) => {
    expect(textOf(emailProblem(text))).toBe('The Email field is not a valid e-mail address');
  });

  test('is required', () => {
    expect(textOf(emailProblem(' '))).toBe('The Email field is required.');
  });
});

describe('the claims of a user', () => {
  const user = (value: string, ...more: { name: string; value: string }[]) =>
    userClaimProblems([{ name: 'fhirUser', value }, ...more], 'Patient').flatMap(({ messages }) =>
      messages.map(textOf),
    );

  test('require a fhirUser of the right type', () => {
    expect(user('Patient/1')).toEqual([]);
    expect(user(`Patient/${'a'.repeat(64)}`)).toEqual([]);
    expect(userClaimProblems([], 'Patient')).toEqual([{ field: 'claims', messages: [fhirUserMandatory] }]);
    expect(user('Practitioner/1')).toEqual(["The 'fhirUser' claim must point to resource matching Patient type."]);
  });

  test.each([
    'Patient/',
    'Patient/../Practitioner/1',
    'Patient/1?x',
    'Patient/..',
    'Patient/.',
    `Patient/${'a'.repeat(65)}`,
    'Patient/ä',
  ])('I-09 refuse the fhirUser %s', (value) => {
    expect(user(value)).toEqual(["Provide the 'Patient' id in the fhirUser claim."]);
  });

  test('I-09 refuse a second fhirUser, also in another case', () => {
    expect(user('Patient/1', { name: 'fhirUser', value: 'Patient/2' })).toContain(textOf(fhirUserOnce));
    expect(user('Patient/1', { name: 'FHIRUSER', value: 'Patient/2' })).toContain(textOf(fhirUserOnce));
    expect(userClaimProblems([{ name: 'FHIRUSER', value: 'Patient/1' }], 'Patient')[0]?.messages).toEqual([
      fhirUserMandatory,
    ]);
  });

  test.each(['sub', 'iss', 'aud', 'scope', 'client_id', 'exp', 'amr', 'patient', 'SUB'])(
    'I-09 refuse the reserved name %s',
    (name) => {
      expect(user('Patient/1', { name, value: 'x' })).toHaveLength(1);
      expect(
        claimProblems([{ name: name.slice(1), value: 'x' }], { prefix: name.charAt(0), fhirUserType: 'Device' }),
      ).toHaveLength(1);
    },
  );

  test('accept tenants in their exact spelling, and those of a client do not', () => {
    const [tenant, lookAlike] = [
      { name: 'tenant', value: 'north' },
      { name: 'Tenant', value: 'north' },
    ];
    expect(user('Patient/1', tenant, { name: 'tenant', value: 'south' })).toEqual([]);
    expect(user('Patient/1', lookAlike)).toEqual([textOf(claimReserved('Tenant'))]);
    expect(claimProblems([tenant], { prefix: '', fhirUserType: 'Device' })).toHaveLength(1);
  });

  test('require name and value, each pair once', () => {
    expect(user('Patient/1', { name: 'a', value: ' ' })).toEqual([textOf(claimIncomplete)]);
    expect(user('Patient/1', { name: 'a', value: '1' }, { name: ' a', value: '1 ' })).toEqual([textOf(claimDuplicate)]);
    expect(user('Patient/1', { name: 'a', value: '1' }, { name: 'a', value: '2' })).toEqual([]);
  });

  test('are a device in fhirUser for a client', () => {
    const device = (value: string) => claimProblems([{ name: 'fhirUser', value }], { fhirUserType: 'Device' });
    expect(device('Device/pump-1')).toEqual([]);
    expect(device('Patient/1')[0]?.messages.map(textOf)).toEqual([
      "The 'fhirUser' claim must point to Device resource.",
    ]);
  });
});

describe('the type of a user', () => {
  const change = (userType: string) => ({
    fullName: 'Amelia',
    userType,
    claims: [{ name: 'fhirUser', value: `${userType}/1` }],
  });
  const problems = (userType: string, before: 'Patient' | 'Incomplete') =>
    userChangeProblems(change(userType), before).map(({ field, messages }) => [field, ...messages.map(textOf)]);

  test('is chosen once, while the user is incomplete', () => {
    expect(problems('Practitioner', 'Incomplete')).toEqual([]);
    expect(problems('Patient', 'Patient')).toEqual([]);
    expect(problems('Practitioner', 'Patient')).toEqual([
      ['userType', 'The user type can only be changed while the account is incomplete.'],
    ]);
  });
});

describe('a text of several lines', () => {
  test.each([
    ['line\nline\r\n\tend', undefined],
    ['\u202Eright to left', undefined],
    ['a\u0007', 'Please enter a valid value'],
    ['\uD800', 'Please enter a valid value'],
    ['😀'.repeat(21), 'Please enter at most 20 characters'],
  ])('%j has the problem %p', (text, problem) => {
    const found = textProblem(text, 20);
    expect(found && textOf(found)).toBe(problem);
  });
});

describe('a tag', () => {
  test.each([
    ['red', 'Color must start with "#".'],
    ['', 'Color must start with "#".'],
    ['#12345', 'Hex color must be either 3 or 6 characters long (excluding "#").'],
    ['#fff;background:url(//evil)', 'Hex color must be either 3 or 6 characters long (excluding "#").'],
    ['#GGGGGG', 'Invalid hex color format. Use "#RRGGBB" or "#RGB", with valid hex characters (0-9, A-F).'],
  ])('L-06 cannot have the colour %s', (color, message) => {
    expect(textOf(tagColorProblem(color))).toBe(message);
  });

  test('can have ten preset colours, each of them valid', () => {
    expect(new Set(tagPalette).size).toBe(10);
    expect(tagPalette.map(tagColorProblem)).toEqual(Array(10).fill(undefined));
    expect(tagColorProblem('#abc')).toBeUndefined();
  });

  test('L-06 requires a visible value of at most 20 characters', () => {
    expect(textOf(tagValueProblem(' '))).toBe('Tag value is required');
    expect(tagValueProblem('a'.repeat(20))).toBeUndefined();
    expect(tagValueProblem('a'.repeat(21))).toBeDefined();
    expect(tagValueProblem('😀'.repeat(20))).toBeUndefined();
    expect(tagValueProblem('a\u0007')).toBeDefined();
    expect(tagValueProblem('\u202Egnp.exe')).toBeDefined();
    expect(tagValueProblem('\uD800')).toBeDefined();
    expect(tagProblems({ value: '', color: 'red' }).map(({ field }) => field)).toEqual(['value', 'color']);
  });
});

describe('an address in a form', () => {
  test('is called unsecured with http, in either case', () => {
    const addresses = [
      'http://app.example/',
      'HTTP://APP.EXAMPLE/',
      'https://app.example/',
      'https://a.example/?http://',
    ];
    expect(addresses.map(isUnsecured)).toEqual([true, true, false, false]);
  });

  test('may begin a sign-in with 400 characters at most', () => {
    expect(maxInitiateLoginUri).toBe(400);
  });

  test.each([
    'https://app.example/callback',
    'http://localhost:8100/callback',
    'http://127.0.0.1/cb?x=1',
    'https://[::1]/cb',
    'HTTPS://APP.EXAMPLE/',
    `https://app.example/${'a'.repeat(380)}`,
  ])('is accepted as redirect URI %s', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  test.each([
    'app.example/callback',
    'myapp://callback',
    'javascript:alert(1)',
    'https://app.example/#token',
    'https://user:secret@app.example/',
    'https://user@app.example/',
    'https://:secret@app.example/',
    'https://*.example/callback',
    'https:\\\\app.example',
    'https:app.example',
    'https:///app.example',
    'https://app.example/a b',
    'https://app.example/\u0000',
    'ftp://app.example/https://app.example/',
    `https://app.example/${'a'.repeat(381)}`,
  ])('is refused as redirect URI %j', (uri) => {
    expect(redirectUriProblem(uri)).toBeDefined();
  });

  test.each([
    'file:///etc/passwd',
    'gopher://app.example/',
    'ftp://app.example/',
    'https://user:secret@app.example/jwks',
    'https://app.example:25/jwks',
    'http://app.example:5432/jwks',
    'http://app.example:6379/jwks',
    'https://app.example/jwks#keys',
    `https://app.example/${'a'.repeat(1981)}`,
  ])('M-02 is never called as %j', (url) => {
    expect(calledUrlProblem(url)).toBeDefined();
  });

  test('may be called with 2000 characters at most', () => {
    expect(calledUrlProblem(`https://app.example/${'a'.repeat(1980)}`)).toBeUndefined();
  });

  test('is accepted as a link with http(s) only', () => {
    expect(linkProblem('https://app.example/privacy#top')).toBeUndefined();
    expect(linkProblem(`https://app.example/${'a'.repeat(1980)}`)).toBeUndefined();
    expect(textOf(linkProblem(`https://app.example/${'a'.repeat(1981)}`))).toBe('Please enter at most 2000 characters');
    expect(linkProblem('javascript:alert(1)')).toBeDefined();
    expect(linkProblem('mailto:office@app.example')).toBeDefined();
  });
});
