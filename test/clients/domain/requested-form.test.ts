import { formToChange, formToRegister } from '../../../src/clients/domain/requested-form.js';
import type { ClientRequest } from '../../../src/contract/clients/clients.js';
import { defaultClientForm } from '../../../src/contract/rules/clients/client-fields.js';

describe('the client form of a request', () => {
  it('has the defaults of its type, overridden by the request', () => {
    const form = formToRegister({ clientType: 'BackendService', clientName: 'Export' } as ClientRequest);
    expect(form).toEqual({
      ...defaultClientForm(),
      clientType: 'BackendService',
      clientName: 'Export',
      allowedGrantTypes: ['client_credentials'],
      allowedSmartSubjects: ['system'],
    });
    expect(formToRegister({}).clientType).toBe('Invalid');
  });

  it('applies a chosen type for an invalid client, and for no other', () => {
    const current = { ...defaultClientForm(), clientType: 'Invalid' as const, clientName: 'Export' };
    expect(formToChange(current, { clientType: 'BackendService' })).toMatchObject({
      clientType: 'BackendService',
      clientName: 'Export',
      allowedGrantTypes: ['client_credentials'],
    });
    expect(formToChange(current, { clientName: 'Night' })).toEqual({ ...current, clientName: 'Night' });
    const valid = { ...current, clientType: 'StandaloneApp' as const };
    expect(formToChange(valid, { clientType: 'BackendService' })).toMatchObject({
      allowedGrantTypes: ['authorization_code'],
    });
  });

  it('has no unknown member', () => {
    expect(formToChange(defaultClientForm(), { version: 3, other: 1 } as ClientRequest)).toEqual(defaultClientForm());
  });
});
