import {
  claimProblems,
  fhirUserProblem,
  nameProblem,
  userClaimProblems,
} from '../../src/contract/rules/users/claims.js';
import { asAnswered, textOf } from '../support/messages.js';

const claim = (name: string, value = 'x') => ({ name, value });
const ofUser = (...claims: { name: string; value: string }[]) =>
  asAnswered(userClaimProblems([claim('fhirUser', 'Patient/1'), ...claims], 'Patient'));
const ofClient = (prefix: string, ...claims: { name: string; value: string }[]) =>
  asAnswered(claimProblems(claims, { prefix, fhirUserType: 'Device', field: 'clientClaims' }));
const at = (field: string, message: string) => [{ field, messages: [message] }];

/** RFC 7519, OpenID Connect Core, RFC 8693, RFC 7662, RFC 9396, SMART 2.2, and the portal's own. */
const reserved =
  `iss sub aud exp nbf iat jti typ azp nonce acr amr auth_time at_hash c_hash s_hash sid scope client_id cnf act
  may_act active token_type patient encounter fhirContext need_patient_banner smart_style_url intent launch
  authorization_details events grant grant_id username email_verified`.split(/\s+/);

describe('the claims of a user', () => {
  it.each(reserved)('do not include %s, in any case', (name) => {
    const [message] = ofUser(claim(name))[0]?.messages ?? [];
    expect(message).toContain(name);
    expect(ofUser(claim(name.toUpperCase())).map(({ field }) => field)).toEqual(['claims.1.name']);
    expect(ofClient('', claim(name)).map(({ field }) => field)).toEqual(['clientClaims.0.name']);
  });

  it('have a name and a value each', () => {
    expect(ofUser(claim(' '))).toEqual(at('claims.1.name', 'Please fill in all claim fields.'));
    expect(ofUser(claim('unit', ' '))).toEqual(at('claims.1.value', 'Please fill in all claim fields.'));
    expect(ofUser(claim('', ''))).toEqual(at('claims.1.name', 'Please fill in all claim fields.'));
  });

  it('differ from each other in name or value', () => {
    const twice = 'A claim with this name and value already exists.';
    expect(ofUser(claim('unit', 'a'), claim(' unit', 'a '))).toEqual(at('claims.2.name', twice));
    expect(ofUser(claim('unit', 'a'), claim('unit', 'b'))).toEqual([]);
  });

  it('have 250 characters at most', () => {
    const tooLong = 'Please enter at most 250 characters';
    expect(ofUser(claim('n'.repeat(250), 'v'.repeat(250)))).toEqual([]);
    expect(ofUser(claim('n'.repeat(251)))).toEqual(at('claims.1.name', tooLong));
    expect(ofUser(claim('unit', 'v'.repeat(251)))).toEqual(at('claims.1.value', tooLong));
  });

  it('include exactly one fhirUser', () => {
    const problems = (...claims: { name: string; value: string }[]) => asAnswered(userClaimProblems(claims, 'Patient'));
    expect(problems()).toEqual(at('claims', 'The fhirUser claim is mandatory'));
    expect(problems(claim('fhirUser', 'Patient/1'), claim('fhirUser', 'Patient/2'))).toEqual(
      at('claims', 'There must be exactly one fhirUser claim.'),
    );
    expect(problems(claim(' fhirUser ', 'Patient/1'))).toEqual([]);
    expect(problems(claim('FHIRUSER', 'Patient/1')).map(({ field }) => field)).toEqual(['claims', 'claims.0.name']);
    expect(ofUser(claim('fhiruser', 'Patient/1')).map(({ field }) => field)).toEqual(['claims.1.name', 'claims']);
  });

  it('may name the tenant, which those of a client may not', () => {
    expect(ofUser(claim('tenant', 'north'))).toEqual([]);
    expect(ofUser(claim('Tenant', 'north')).map(({ field }) => field)).toEqual(['claims.1.name']);
    expect(ofClient('', claim('tenant')).map(({ field }) => field)).toEqual(['clientClaims.0.name']);
  });
});

describe('the claims of a client', () => {
  it('are checked by their name with its prefix', () => {
    expect(ofClient('client_', claim('id')).map(({ field }) => field)).toEqual(['clientClaims.0.name']);
    expect(ofClient('app_', claim('sub'))).toEqual([]);
    expect(ofClient('fhir', claim('User', 'Device/1'))).toEqual([]);
    expect(ofClient('fhir', claim('User', 'Patient/1')).map(({ field }) => field)).toEqual(['clientClaims.0.value']);
  });
});

describe('a fhirUser claim', () => {
  it.each(['Patient/1', `Patient/${'1'.repeat(64)}`, 'Patient/a.b-C', 'Patient/...'])('may be %s', (value) => {
    expect(fhirUserProblem(value, 'Patient')).toBeUndefined();
  });

  const id = "Provide the 'Patient' id in the fhirUser claim.";
  const type = "The 'fhirUser' claim must point to resource matching Patient type.";
  it.each([
    ['Patient/', id],
    ['Patient/.', id],
    ['Patient/..', id],
    [`Patient/${'1'.repeat(65)}`, id],
    ['Patient/1/2', id],
    ['Patient/ä1', id],
    ['Patient/1ä', id],
    ['Practitioner/1', type],
    ['https://fhir.example/Patient/1', type],
    ['/Patient/1', type],
    ['', type],
  ])('is refused as %j', (value, message) => {
    expect(textOf(fhirUserProblem(value, 'Patient'))).toBe(message);
  });

  it('of a client is a device, which the message says', () => {
    expect(fhirUserProblem('Device/1', 'Device')).toBeUndefined();
    expect(textOf(fhirUserProblem('Patient/1', 'Device'))).toContain('Device');
  });
});

describe('a name', () => {
  it('is required, and limited without the spaces around it', () => {
    expect(textOf(nameProblem(' ', 3))).toBe('Field is required');
    expect(nameProblem(' abc ', 3)).toBeUndefined();
    expect(textOf(nameProblem('abcd', 3))).toBe('Please enter at most 3 characters');
  });
});
