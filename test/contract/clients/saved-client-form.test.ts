import type { ClientForm, ClientSecretForm } from '../../../src/contract/clients/clients.js';
import { clientFormProblems, tidyClientForm } from '../../../src/contract/rules/clients/client-form.js';
import { app, environment, management, service, shared } from './complete-client-forms.js';

describe('the client form that is saved', () => {
  const tidy = (changes: Partial<ClientForm>, form = app, around = environment) =>
    tidyClientForm({ ...form, ...changes }, around);

  test('has no spaces around texts, and no empty items of lists', () => {
    const secret = { ...shared, secret: ' x ', description: ' Production ', secretUrl: ' ' };
    const key: ClientSecretForm = { secretType: 'JWK', description: ' ', secretUrl: ' https://app.example/jwks ' };
    expect(
      tidy({
        clientName: ' Heart ',
        redirectUris: [' https://app.example/a ', ' ', 'https://app.example/b'],
        clientClaims: [
          { name: ' unit ', value: ' a ' },
          { name: ' ', value: ' ' },
          { name: 'unit', value: '' },
          { name: '', value: 'b' },
        ],
        clientSecrets: [secret, key],
      }),
    ).toEqual({
      ...app,
      clientName: 'Heart',
      redirectUris: ['https://app.example/a', 'https://app.example/b'],
      clientClaims: [
        { name: 'unit', value: 'a' },
        { name: 'unit', value: '' },
        { name: '', value: 'b' },
      ],
      clientSecrets: [
        { ...secret, description: 'Production', secretUrl: null },
        { ...key, description: null, secretUrl: 'https://app.example/jwks' },
      ],
    });
  });

  test('has actions and subjects in the order of SMART, without others', () => {
    expect(
      tidy({
        allowedSmartActions: ['s', 'x' as never, 'c'],
        allowedSmartLegacyActions: ['*', 'x' as never, 'read'],
        allowedSmartSubjects: ['system', 'x' as never, 'patient'],
      }),
    ).toMatchObject({
      allowedSmartActions: ['c', 's'],
      allowedSmartLegacyActions: ['read', '*'],
      allowedSmartSubjects: ['patient', 'system'],
    });
  });

  test('has secrets only where one is needed', () => {
    expect(tidy({}).clientSecrets).toHaveLength(1);
    expect(tidy({ requireClientSecret: false }).clientSecrets).toEqual([]);
  });

  test('has each provider once that it is limited to, and none without external login', () => {
    const restricted = { identityProviderRestrictions: ['hospital', 'other', 'hospital'] };
    const limits = (changes: Partial<ClientForm> = {}, around = environment) =>
      tidy({ ...restricted, ...changes }, app, around).identityProviderRestrictions;
    expect(limits()).toEqual(['hospital', 'other']);
    expect(limits({ enableExternalLogin: false })).toEqual([]);
    expect(limits({}, { ...environment, identityProviders: [] })).toEqual([]);
    expect(limits({}, { ...environment, externalLoginRestricted: true })).toEqual([]);
  });

  test('has local and external login as the administrator chose, where the portal leaves the choice', () => {
    const logins = (changes: Partial<ClientForm>, around = environment) => {
      const { enableExternalLogin, enableLocalLogin } = tidy(changes, app, around);
      return [enableExternalLogin, enableLocalLogin];
    };
    expect(logins({ enableExternalLogin: true, enableLocalLogin: false })).toEqual([true, false]);
    expect(logins({ enableExternalLogin: false, enableLocalLogin: true })).toEqual([false, true]);
    expect(logins({}, { ...environment, identityProviders: [] })).toEqual([false, true]);
    expect(logins({ enableLocalLogin: false }, { ...environment, externalLoginRestricted: true })).toEqual([
      ...[false, true],
    ]);
  });

  test('has the types of each group that is named, each once', () => {
    const groups = [
      { name: 'Laboratory', resourceTypes: ['Observation', 'Specimen'] },
      { name: 'Visits', resourceTypes: ['Encounter', 'Observation'] },
    ];
    const around = { ...environment, resourceTypeGroups: groups };
    expect(tidy({ allowedResourceTypes: ['Visits', 'Patient', 'Laboratory'] }, app, around)).toMatchObject({
      allowedResourceTypes: ['Encounter', 'Observation', 'Patient', 'Specimen'],
    });
  });

  test('has what its type hides at the default, and names no problem of it', () => {
    const sent = { showFineGrainedScopes: true, redirectUris: ['x'], initiateLoginUri: 'x', requirePar: true };
    expect(tidy(sent, service)).toEqual(tidy({}, service));
    expect(clientFormProblems({ ...service, ...sent }, 'create', environment)).toEqual([]);
  });
});

describe('a problem of the client form', () => {
  const codes = (changes: Partial<ClientForm>, form = app) =>
    clientFormProblems(tidyClientForm({ ...form, ...changes }, environment), 'create', environment).map(
      ({ field, messages }) => [field, ...messages.map(({ code }) => code)],
    );

  test('says that a setting follows from the type, or that it needs a secret', () => {
    expect(codes({ allowedGrantTypes: ['client_credentials'] })).toEqual([
      ['allowedGrantTypes', 'follows-from-client-type'],
    ]);
    expect(codes({ allowedGrantTypes: ['authorization_code', 'client_credentials'] })).toEqual([
      ['allowedGrantTypes', 'follows-from-client-type'],
    ]);
    expect(codes({ allowedSmartSubjects: ['user'] }, service)).toEqual([
      ['allowedSmartSubjects', 'follows-from-client-type'],
    ]);
    expect(codes({ allowedSmartSubjects: ['system', 'user'] }, service)).toEqual([
      ['allowedSmartSubjects', 'follows-from-client-type'],
    ]);
    for (const form of [service, management])
      expect(codes({ requireClientSecret: false }, form)).toEqual([['requireClientSecret', 'credentials-need-secret']]);
    expect(codes({ allowedSmartSubjects: ['user'] }, management)).toEqual([]);
  });

  test('stands next to the address that is wrong', () => {
    const wrong = 'value-invalid';
    for (const field of [
      ...([
        'backChannelLogoutUri',
        'contactUsUrl',
        'privacyPolicyUrl',
        'termsOfServiceUrl',
        'initiateLoginUri',
      ] as const),
    ]) {
      expect(codes({ [field]: 'x' })).toEqual([[field, wrong]]);
      expect(codes({ [field]: 'https://app.example/x' })).toEqual([]);
      expect(codes({ [field]: '' })).toEqual([]);
    }
    expect(codes({ backChannelLogoutUri: 'https://app.example:5432/x' })).toEqual([['backChannelLogoutUri', wrong]]);
    expect(codes({ contactUsUrl: 'https://app.example:5432/x' })).toEqual([]);
  });

  test('names the first of two wrong lifetimes, and both if they are wrong by themselves', () => {
    expect(codes({ accessTokenLifetime: '01:00:00', refreshTokenLifetime: '01:00:00' })).toEqual([
      ['refreshTokenLifetime', 'refresh-must-exceed-access'],
    ]);
    expect(codes({ accessTokenLifetime: '01:00:00', refreshTokenLifetime: '01:00:01' })).toEqual([]);
    expect(codes({ accessTokenLifetime: 'x', refreshTokenLifetime: 'y' })).toEqual([
      ['accessTokenLifetime', 'lifetime-invalid'],
      ['refreshTokenLifetime', 'lifetime-invalid'],
    ]);
    expect(codes({ accessTokenLifetime: 'x', refreshTokenLifetime: '00:00:01' })).toEqual([
      ['accessTokenLifetime', 'lifetime-invalid'],
    ]);
  });

  test('is that of a claim, by the place of the claim', () => {
    const clientClaims = [
      { name: 'unit', value: 'a' },
      { name: 'fhirUser', value: 'Patient/1' },
    ];
    expect(codes({ clientClaims })).toEqual([['clientClaims.1.value', 'fhir-user-device']]);
  });
});
