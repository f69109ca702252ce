import type { ClientForm } from '../../../src/contract/clients/clients.js';
import {
  applyClientType,
  type ClientField,
  type ClientFormEnvironment,
  clientFields,
  clientSections,
  defaultClientForm,
  isLocked,
  isVisible,
} from '../../../src/contract/rules/clients/client-fields.js';
import { tidyClientForm } from '../../../src/contract/rules/clients/client-form.js';
import { app, environment, management, service, shared } from './complete-client-forms.js';

describe('the effect of a client type on the form', () => {
  test('hides and resets the fields of sign-in for a service', () => {
    const full: ClientForm = {
      ...app,
      requireConsent: true,
      require2fa: true,
      clientClaims: [{ name: 'a', value: 'b' }],
    };
    expect(applyClientType(full, 'BackendService')).toMatchObject({
      clientType: 'BackendService',
      allowedGrantTypes: ['client_credentials'],
      allowedSmartSubjects: ['system'],
      allowManagementApiAccess: false,
      redirectUris: [],
      requireConsent: false,
      require2fa: false,
      clientClaims: [{ name: 'a', value: 'b' }],
    });
    expect(applyClientType({ ...full, allowedSmartActions: ['r'] }, 'ManagementApi')).toMatchObject({
      allowManagementApiAccess: true,
      allowedSmartActions: ['c', 'r', 'u', 'd', 's'],
      clientClaims: [],
    });
  });

  test('restores forced values when the type is changed back', () => {
    expect(applyClientType(service, 'StandaloneApp')).toMatchObject({
      allowedGrantTypes: ['authorization_code'],
      allowedSmartSubjects: ['patient', 'user', 'system'],
    });
    expect(applyClientType(management, 'StandaloneApp').allowManagementApiAccess).toBe(false);
  });

  test('drops hidden fields of a hand-made request when saving', () => {
    const tidy = tidyClientForm(
      { ...service, redirectUris: ['https://evil.example/'], requirePkce: true },
      environment,
    );
    expect(tidy).toMatchObject({ redirectUris: [], requirePkce: false });
  });

  test('trims texts, drops empty items and keeps secrets unchanged when saving', () => {
    const tidy = tidyClientForm(
      {
        ...app,
        clientName: ' Heart ',
        redirectUris: [' https://a.example/ ', ' '],
        clientSecrets: [{ ...shared, secret: ' x' }],
      },
      environment,
    );
    expect(tidy).toMatchObject({ clientName: 'Heart', redirectUris: ['https://a.example/'] });
    expect(tidy.clientSecrets[0]?.secret).toBe(' x');
  });

  test('trims claims and the members of secrets, and drops claims without name and value when saving', () => {
    const tidy = tidyClientForm(
      {
        ...app,
        clientClaims: [
          { name: ' ward ', value: ' 7 ' },
          { name: ' ', value: ' ' },
          { name: 'ward', value: ' ' },
          { name: ' ', value: '7' },
        ],
        clientSecrets: [
          { ...shared, description: ' of the ward ', secretUrl: ' ' },
          { secretType: 'JWK', description: ' ', secretUrl: ' https://app.example/jwks ' },
        ],
      },
      environment,
    );
    expect(tidy.clientClaims).toEqual([
      { name: 'ward', value: '7' },
      { name: 'ward', value: '' },
      { name: '', value: '7' },
    ]);
    expect(tidy.clientSecrets).toEqual([
      { ...shared, description: 'of the ward', secretUrl: null },
      { secretType: 'JWK', description: null, secretUrl: 'https://app.example/jwks' },
    ]);
  });

  test('keeps restrictions to providers only while the client permits external login', () => {
    const restricted = { ...app, identityProviderRestrictions: ['hospital', 'hospital'] };
    const kept = (form: ClientForm, around = environment) => tidyClientForm(form, around).identityProviderRestrictions;
    expect(kept(restricted)).toEqual(['hospital']);
    expect(kept({ ...restricted, enableExternalLogin: false })).toEqual([]);
    expect(kept(restricted, { ...environment, externalLoginRestricted: true })).toEqual([]);
    expect(kept(restricted, { ...environment, identityProviders: [] })).toEqual([]);
  });

  test('assigns every field to a section, in the order of the sections', () => {
    expect(Object.keys(clientFields).sort()).toEqual(Object.keys(defaultClientForm()).sort());
    const order = Object.values(clientFields).map(({ section }) => clientSections.indexOf(section));
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });

  test.each<[ClientField, Partial<ClientForm>, Partial<ClientFormEnvironment>, boolean]>([
    ['clientSecrets', { requireClientSecret: false }, {}, false],
    ['clientSecrets', {}, {}, true],
    ['allowedOperationScopes', {}, { operationScopesLoaded: false }, false],
    ['allowedOperationScopes', { clientType: 'ManagementApi' }, {}, false],
    ['enableExternalLogin', {}, { identityProviders: [] }, false],
    ['identityProviderRestrictions', { enableExternalLogin: false }, {}, false],
    ['identityProviderRestrictions', {}, { identityProviders: [] }, false],
    ['identityProviderRestrictions', {}, {}, true],
    ['redirectUris', { clientType: 'BackendService' }, {}, false],
    ['redirectUris', { clientType: 'Invalid' }, {}, true],
    ['allowedSmartActions', { clientType: 'BackendService' }, {}, true],
  ])('shows %s with %j and %j: %s', (field, changes, around, visible) => {
    expect(isVisible(field, { ...app, ...changes }, { ...environment, ...around })).toBe(visible);
  });

  test('locks fields that are fixed after creation or by the type', () => {
    const locked = (field: ClientField, form: ClientForm, mode: 'create' | 'edit' | 'set-type') =>
      isLocked(field, form, mode, environment);
    expect(locked('clientType', app, 'edit')).toBe(true);
    expect(locked('requireClientSecret', app, 'set-type')).toBe(false);
    expect(locked('allowedGrantTypes', app, 'create')).toBe(true);
    expect(locked('allowedSmartSubjects', service, 'create')).toBe(true);
    expect(locked('allowedSmartSubjects', app, 'create')).toBe(false);
    expect(locked('allowManagementApiAccess', management, 'create')).toBe(true);
    expect(isLocked('enableLocalLogin', app, 'create', { ...environment, externalLoginRestricted: true })).toBe(true);
  });
});
