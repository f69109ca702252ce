import { addressOf, capabilityGroups, listOf, resourcePermissions, scopeGroups } from './discovery-document.js';

it('capabilities in a discovery document are grouped by the text before the first dash', () => {
  const capabilities = ['launch-standalone', 'client-public', 'launch-ehr', 'client-confidential-symmetric', 'extra'];
  expect(capabilityGroups(capabilities)).toEqual([
    { name: 'launch', members: ['launch-standalone', 'launch-ehr'] },
    { name: 'client', members: ['client-public', 'client-confidential-symmetric'] },
    { name: 'extra', members: ['extra'] },
  ]);
});

it('scopes in a discovery document are grouped by the text before the slash, the others first', () => {
  const scopes = ['patient/*.read', 'launch', 'openid', 'launch/patient', 'https://fhir.example/erase', 'system/*.rs'];
  expect(scopeGroups(scopes)).toEqual([
    { name: '', members: ['openid', 'https://fhir.example/erase'] },
    { name: 'patient', members: ['patient/*.read'] },
    { name: 'launch', members: ['launch', 'launch/patient'] },
    { name: 'system', members: ['system/*.rs'] },
  ]);
});

describe('the SMART scopes of one subject in a discovery document', () => {
  it('are shown as permissions by resource type', () => {
    const scopes = ['user/Observation.rs?category=laboratory', 'user/*.cruds', 'user/Observation.read'];
    expect(resourcePermissions(scopes)).toEqual([
      { type: 'Observation', permissions: ['rs?category=laboratory', 'read'] },
      { type: '*', permissions: ['cruds'] },
    ]);
  });

  it('are shown unchanged when one of them has another form', () => {
    expect(resourcePermissions(['user/Observation.rs', 'user/everything'])).toBeUndefined();
    expect(resourcePermissions(['launch', 'launch/patient'])).toBeUndefined();
  });
});

it.each([[undefined], [null], ['text'], [7], [{ a: 1 }]])(
  'a discovery document with %j in place of a list has an empty list',
  (value) => {
    expect(listOf({ list: value }, 'list')).toEqual([]);
  },
);

it('a member of a discovery document that is not a string is left out', () => {
  expect(listOf({ list: ['a', 7, null, ['b'], 'c'] }, 'list')).toEqual(['a', 'c']);
  expect(addressOf({ issuer: ['https://fhir.example'] }, 'issuer')).toBeUndefined();
});
