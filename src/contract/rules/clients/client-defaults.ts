/**
 * Finds the settings that differ from the defaults: marks, 'Only what differs from default' and 'Reset' of the edit
 * form derive from this.
 */
import type { ClientForm } from '../../clients/clients.js';
import {
  applyClientType,
  type ClientField,
  type ClientFormEnvironment,
  clientFields,
  defaultClientForm,
} from './client-fields.js';
import { tidyClientForm } from './client-form.js';
import type { ClientType } from './client-values.js';

/** Each client has its own value of these: they cannot be set back. */
const own: readonly ClientField[] = ['clientName', 'clientId', 'clientType', 'clientSecrets', 'redirectUris'];

/** The form of a client of this type for which an administrator has decided nothing. */
export function defaultsOf(type: ClientType, environment: ClientFormEnvironment): ClientForm {
  return tidyClientForm(applyClientType(defaultClientForm(), type), environment);
}

export const hasDefault = (field: ClientField): boolean => !own.includes(field);

/** The fields whose value an administrator has decided. */
export function differingFields(form: ClientForm, environment: ClientFormEnvironment): ClientField[] {
  const defaults = defaultsOf(form.clientType, environment);
  const fields = Object.keys(clientFields) as ClientField[];
  return fields.filter((field) => JSON.stringify(form[field]) !== JSON.stringify(defaults[field]));
}
