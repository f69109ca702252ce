import type { ClientForm, ClientSecretForm } from '../../../../../../src/contract/clients/clients.js';
import { isSame, type Merge, mergeFields } from '../../../../shared/drafts/merge.js';

/** Merges two administrators' changes to one client. */
export function mergeForms(before: ClientForm, typed: ClientForm, stored: ClientForm): Merge<ClientForm> {
  const merged = mergeFields(before, typed, stored);
  return { ...merged, form: { ...merged.form, clientSecrets: mergeSecrets(before, typed, stored) } };
}

/** Secret by secret: one that is stored meanwhile must not be deleted by being unknown here. */
function mergeSecrets(before: ClientForm, typed: ClientForm, stored: ClientForm): ClientSecretForm[] {
  const find = (form: ClientForm, id: ClientSecretForm['id']) => form.clientSecrets.find((secret) => secret.id === id);
  const there = stored.clientSecrets.flatMap((secret) => {
    const [mine, old] = [find(typed, secret.id), find(before, secret.id)];
    if (!old) return [secret];
    if (!mine) return [];
    return [isSame(mine, old) ? secret : mine];
  });
  return [...there, ...typed.clientSecrets.filter(({ id }) => !id)];
}
