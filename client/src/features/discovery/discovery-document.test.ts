import { addressOf, capabilityGroups, listOf, resourcePermissions, scopeGroups } from './discovery-document.js';

it('capabilities are grouped by the text before the first dash', () => {
  const capabilities = ['launch-standalone', 'client-public', 'launch-ehr', 'client-confidential-symmetric', 'extra'];
  expect(capabilityGroups(capabilities)).toEqual([
    { name: 'launch', members: ['launch-standalone', 'launch-ehr'] },
    { name: 'client', members: ['client-public', 'client-confidential-symmetric'] },
    { name: 'extra', members: ['extra'] },
  ]);
});

it('scopes are grouped by the text before the slash, the others first', () => {
  const scopes = ['patient/*.read', 'launch', 'openid', 'launch/patient', 'https://fhir.example/erase', 'system/*.rs'];
  expect(scopeGroups(scopes)).toEqual([
    { name: '', members: ['openid', 'https://fhir.example/erase'] },
    { name: 'patient', members: ['patient/*.read'] },
    { name: 'launch', members: ['launch', 'launch/patient'] },
    { name: 'system', members: ['system/*.rs'] },
  ]);
});

describe('the scopes of a subject', () => {
  it('are permissions by resource type', () => {
    const scopes = ['user/Observation.rs?category=laboratory', 'user/*.cruds', 'user/Observation.read'];
    expect(resourcePermissions(scopes)).toEqual([
      { type: 'Observation', permissions: ['rs?category=laboratory', 'read'] },
      { type: '*', permissions: ['cruds'] },
    ]);
  });

  it('stay as they are when one of them reads otherwise', () => {
    expect(resourcePermissions(['user/Observation.rs', 'user/everything'])).toBeUndefined();
    expect(resourcePermissions(['launch', 'launch/patient'])).toBeUndefined();
  });
});

it.each([[undefined], [null], ['text'], [7], [{ a: 1 }]])(
  'a document that has %j for a list has an empty one',
  (value) => {
    expect(listOf({ list: value }, 'list')).toEqual([]);
  },
);

it('what is no text is no member and no address', () => {
  expect(listOf({ list: ['a', 7, null, ['b'], 'c'] }, 'list')).toEqual(['a', 'c']);
  expect(addressOf({ issuer: ['https://fhir.example'] }, 'issuer')).toBeUndefined();
});
