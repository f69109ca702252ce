import type { ClientForm } from '../../../../../../src/contract/clients/clients.js';
import { defaultClientForm } from '../../../../../../src/contract/rules/clients/client-fields.js';
import { mergeForms } from './client-merge.js';

const secret = (id: string, description: string | null = null) => ({
  id,
  secretType: 'SharedSecret' as const,
  secret: null,
  secretUrl: null,
  description,
  expires: null,
});
const before: ClientForm = { ...defaultClientForm(), clientName: 'Old', clientSecrets: [secret('a'), secret('b')] };

describe('two administrators who change one client', () => {
  it('each keep the fields that only they changed; a field changed by both stays as typed', () => {
    const typed = { ...before, clientName: 'Mine', description: 'typed', enabled: false };
    const stored = { ...before, clientName: 'Theirs', requirePkce: true, enabled: false };
    const { form, taken, kept } = mergeForms(before, typed, stored);
    expect(form).toMatchObject({ clientName: 'Mine', description: 'typed', requirePkce: true, enabled: false });
    expect({ taken, kept }).toEqual({ taken: ['requirePkce'], kept: ['clientName'] });
  });

  it('lose no secret that the other one added, and restore none that was removed', () => {
    const fresh = { secretType: 'SharedSecret' as const, secret: 'typed' };
    const typed = { ...before, clientSecrets: [secret('a', 'renamed'), fresh] };
    const stored = { ...before, clientSecrets: [secret('a'), secret('b'), secret('c')] };
    expect(mergeForms(before, typed, stored).form.clientSecrets).toEqual([secret('a', 'renamed'), secret('c'), fresh]);
    const gone = { ...before, clientSecrets: [secret('b')] };
    expect(mergeForms(before, { ...before, clientName: 'Mine' }, gone).form.clientSecrets).toEqual([secret('b')]);
  });
});
