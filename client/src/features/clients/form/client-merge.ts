import type { ClientForm, ClientSecretForm } from '../../../../../src/contract/clients.js';
import type { ClientField } from '../../../../../src/contract/rules/client-fields.js';
import { allFields, isSame } from './client-draft.js';

export interface Merged {
  form: ClientForm;
  /** As the other person saved it. */
  stored: ClientForm;
  /** What the other person changed, and this one did not: taken over. */
  taken: ClientField[];
  /** What both changed, differently: as this person typed it. */
  kept: ClientField[];
}

/** What two people made of one client: `typed` from `before`, while `stored` was saved. Nothing typed is lost. */
export function mergeForms(before: ClientForm, typed: ClientForm, stored: ClientForm): Merged {
  const changedThere = allFields.filter((field) => !isSame(before[field], stored[field]));
  const taken = changedThere.filter((field) => isSame(before[field], typed[field]));
  const kept = changedThere.filter((field) => !taken.includes(field) && !isSame(typed[field], stored[field]));
  const form = Object.fromEntries(
    allFields.map((field) => [field, taken.includes(field) ? stored[field] : typed[field]]),
  ) as unknown as ClientForm;
  return { form: { ...form, clientSecrets: mergeSecrets(before, typed, stored) }, stored, taken, kept };
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
