import { clientTypes } from '../../../src/contract/rules/client-values.js';
import {
  applyClientType,
  type ClientField,
  clientFields,
  defaultClientForm,
  isVisible,
} from '../../../src/contract/rules/clients/client-fields.js';
import { tidyClientForm } from '../../../src/contract/rules/clients/client-form.js';
import { defaultsOf, differingFields, hasDefault } from '../../../src/contract/rules/clients/derived-forms.js';
import { app, environment } from './complete-client-forms.js';

const fields = Object.keys(clientFields) as ClientField[];
const differing = (form: typeof app, surroundings = environment) => differingFields(form, surroundings);

describe.each(clientTypes)('of a client of type %s', (type) => {
  it('no setting differs from the default before an administrator has decided one', () => {
    const form = tidyClientForm(applyClientType(defaultClientForm(), type), environment);
    expect(differing(form)).toEqual([]);
    expect(defaultsOf(type, environment)).toEqual(form);
  });

  it('each setting that can be switched differs once it is switched', () => {
    const form = applyClientType(defaultClientForm(), type);
    const switches = fields.filter((field) => typeof form[field] === 'boolean');
    for (const field of switches.filter((one) => isVisible(one, form, environment))) {
      expect(differing({ ...defaultsOf(type, environment), [field]: !form[field] })).toEqual([field]);
    }
  });
});

describe('settings that differ from the default', () => {
  it('are those with another value, in the order of the form', () => {
    expect(differing({ ...app, requirePar: true, accessTokenLifetime: '00:15:00' })).toEqual([
      'clientName',
      'clientId',
      'clientSecrets',
      'redirectUris',
      'requirePar',
      'accessTokenLifetime',
    ]);
  });

  it('have no external login where the portal has no identity provider, or restricts it', () => {
    for (const surroundings of [
      { ...environment, identityProviders: [] },
      { ...environment, externalLoginRestricted: true },
    ]) {
      const stored = tidyClientForm(app, surroundings);
      expect(stored.enableExternalLogin).toBe(false);
      expect(differing(stored, surroundings)).not.toContain('enableExternalLogin');
    }
  });

  it('can be set back, except for what each client has of its own', () => {
    expect(fields.filter((field) => !hasDefault(field))).toEqual([
      'clientName',
      'clientId',
      'clientType',
      'clientSecrets',
      'redirectUris',
    ]);
  });
});
