import type { ClientForm } from '../../../src/contract/clients/clients.js';
import {
  applyClientType,
  defaultClientForm,
  hiddenDefaults,
} from '../../../src/contract/rules/clients/client-fields.js';
import {
  clientFormProblems,
  clientFormWarnings,
  tidyClientForm,
} from '../../../src/contract/rules/clients/client-form.js';
import { clientTemplates, formOfTemplate } from '../../../src/contract/rules/clients/client-templates.js';
import { copiedForm } from '../../../src/contract/rules/clients/derived-forms.js';
import { parseLifetime } from '../../../src/contract/rules/lifetime.js';
import { app, environment, management, service, shared } from './complete-client-forms.js';

/** The template, with what an administrator has to fill in. */
function filledIn(form: ClientForm): ClientForm {
  const isApp = form.clientType === 'StandaloneApp';
  const key = { ...form.clientSecrets[0], secretType: 'JWK' as const, secretUrl: 'https://app.example/jwks' };
  return {
    ...form,
    clientId: 'heart-companion',
    clientName: 'Heart Companion',
    redirectUris: isApp ? ['https://app.example/callback'] : [],
    clientSecrets: form.requireClientSecret ? [form.clientSecrets.length > 0 ? key : shared] : [],
  };
}

describe.each(clientTemplates)('the template %s', (template) => {
  const form = formOfTemplate(template);
  const isApp = form.clientType === 'StandaloneApp';

  it('can be saved once name, id, redirect URI and credential are filled in, and nothing in it needs a warning', () => {
    const tidy = tidyClientForm(filledIn(form), environment);
    expect(clientFormProblems(tidy, 'create', environment)).toEqual([]);
    expect(clientFormWarnings(tidy, { served: {} })).toEqual([]);
    const { clientSecrets: _, ...settings } = filledIn(form);
    expect(tidy).toMatchObject(settings);
  });

  it('leaves nothing but name, id, redirect URI and credential to fill in', () => {
    const problems = clientFormProblems(tidyClientForm(form, environment), 'create', environment);
    const fields = problems.map(({ field }) => field?.split('.')[0]);
    const needed = ['clientName', 'clientId', ...(isApp ? ['redirectUris'] : [])];
    expect(new Set(fields)).toEqual(new Set(form.requireClientSecret ? [...needed, 'clientSecrets'] : needed));
  });

  it('sets nothing that its client type hides', () => {
    expect(form).toMatchObject(hiddenDefaults(form.clientType));
  });

  it('permits reading and searching only, of no more data than its kind needs', () => {
    expect(form).toMatchObject({
      allowedSmartActions: ['r', 's'],
      allowedSmartLegacyActions: ['read'],
      allowFirelySpecialScopes: false,
      allowManagementApiAccess: false,
      allowIntrospection: false,
      allowContactScopes: false,
    });
    expect(form.allowedSmartSubjects.includes('system')).toBe(!isApp);
    expect(form.allowedOperationScopes.length).toBeGreaterThan(0);
    const subjects = form.allowedOperationScopes.map((scope) => scope.split('/')[0]);
    expect(form.allowedSmartSubjects).toEqual(expect.arrayContaining(subjects));
  });

  it('has short access tokens, PKCE for each app, and a key set for each service', () => {
    expect(parseLifetime(form.accessTokenLifetime)).toBeLessThanOrEqual(isApp ? 900 : 300);
    expect(form.requirePkce).toBe(isApp);
    expect(form.clientSecrets.map(({ secretType, secretUrl }) => [secretType, secretUrl])).toEqual(
      isApp ? [] : [['JWK', '']],
    );
  });

  it('keeps access without the user only for apps that can keep a secret, and asks each patient', () => {
    expect(form.allowOfflineAccess && !form.requireClientSecret).toBe(false);
    expect(form.requireConsent).toBe(template.startsWith('patient-app'));
  });
});

describe.each([
  ['an app', app],
  ['a service', service],
  ['a management client', management],
])('a copy of %s', (_kind, original) => {
  const stored: ClientForm = {
    ...original,
    requirePar: true,
    clientTags: [{ id: '0b6f2a0e-9f4e-4b06-8a7d-2b8f4f5f6a01' }],
    clientSecrets: [
      { id: '7f2f6c2e-1d1f-4f0d-9a55-5f7c2b3f1a10', secretType: 'SharedSecret', secret: null, lastUsed: '2026-03-03' },
      { secretType: 'JWK', secret: null, secretUrl: 'https://app.example/jwks' },
    ],
  };

  it('has the settings, and neither the id nor any credential', () => {
    const { clientId, clientName, enabled, clientSecrets, ...settings } = copiedForm(stored, 'Copy of Heart Companion');
    expect({ clientId, clientName, enabled, clientSecrets }).toEqual({
      clientId: '',
      clientName: 'Copy of Heart Companion',
      enabled: false,
      clientSecrets: [],
    });
    expect(stored).toMatchObject(settings);
    expect(Object.keys(settings).length).toBe(Object.keys(stored).length - 4);
  });

  it('needs a new id and credential before it can be saved', () => {
    const copy = tidyClientForm(copiedForm(stored, 'Copy'), environment);
    const problems = clientFormProblems(copy, 'create', environment).map(({ field }) => field);
    expect(problems).toEqual(['clientId', 'clientSecrets']);
  });
});

it.each([
  [
    'patient-app',
    { requireClientSecret: false, allowOnlineAccess: true, allowOfflineAccess: false, consentLifetime: '90' },
  ],
  [
    'patient-app-with-backend',
    { requireClientSecret: true, allowOnlineAccess: false, allowOfflineAccess: true, consentLifetime: '365' },
  ],
  ['ehr-app', { requireClientSecret: true, allowOnlineAccess: true, allowOfflineAccess: false, consentLifetime: '' }],
] as const)('the access of the template %s lasts as long as its description says', (template, access) => {
  expect(formOfTemplate(template)).toMatchObject(access);
  expect(formOfTemplate(template).showFineGrainedScopes).toBe(template !== 'ehr-app');
});

const ofReading = { allowedSmartActions: ['r', 's'], allowedSmartLegacyActions: ['read'] };
const ofPatients = {
  ...ofReading,
  ...{ requireConsent: true, showFineGrainedScopes: true, requirePkce: true, accessTokenLifetime: '00:15:00' },
  ...{ allowedSmartSubjects: ['patient'], allowedOperationScopes: ['patient/Patient.$everything'] },
};
const ofServices = {
  ...ofReading,
  clientSecrets: [{ secretType: 'JWK', secret: null, secretUrl: '' }],
  accessTokenLifetime: '00:05:00',
};
it.each([
  [
    'patient-app',
    {
      ...ofPatients,
      ...{ requireClientSecret: false, allowOnlineAccess: true, refreshTokenLifetime: '1', consentLifetime: '90' },
    },
  ],
  [
    'patient-app-with-backend',
    { ...ofPatients, allowOfflineAccess: true, refreshTokenLifetime: '90', consentLifetime: '365' },
  ],
  [
    'ehr-app',
    {
      ...ofReading,
      requirePkce: true,
      allowedSmartSubjects: ['patient', 'user'],
      allowedOperationScopes: ['patient/Patient.$everything', 'user/Patient.$everything'],
      allowOnlineAccess: true,
      accessTokenLifetime: '00:15:00',
      refreshTokenLifetime: '12:00:00',
    },
  ],
  ['backend-service', { ...ofServices, allowedOperationScopes: ['system/Patient.$everything'] }],
  [
    'bulk-export',
    { ...ofServices, allowedOperationScopes: ['system/*.$export', 'system/Group.$export', 'system/Patient.$export'] },
  ],
] as const)('the template %s is a new client with these settings alone', (template, settings) => {
  const type = template === 'backend-service' || template === 'bulk-export' ? 'BackendService' : 'StandaloneApp';
  expect(formOfTemplate(template)).toEqual({ ...applyClientType(defaultClientForm(), type), ...settings });
});

it('a copy of a client whose name is cut after a space has no space at its end', () => {
  expect(copiedForm(app, `${'a'.repeat(199)} b`).clientName).toBe('a'.repeat(199));
});

it('a copy of a client with a long name has a name that can be saved, with no half character', () => {
  const { clientName } = copiedForm(app, `Copy of ${'💊'.repeat(200)}`);
  expect([...clientName].length).toBe(200);
  expect(() => encodeURIComponent(clientName)).not.toThrow();
});
