/**
 * Forms that derive from another one: the defaults of a type, a copy, the same client with another type. Marks, 'Only
 * what differs from default' and 'Reset' of the edit form derive from the defaults.
 */
import type { ClientForm } from '../../clients/clients.js';
import type { ClientType } from '../client-values.js';
import {
  applyClientType,
  type ClientField,
  type ClientFormEnvironment,
  clientFields,
  defaultClientForm,
  isHiddenFor,
} from './client-fields.js';
import { tidyClientForm } from './client-form.js';

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

const maxName = 200;

/**
 * The initial form of a client with the settings of another one. Its id and its credentials are its own: who holds a
 * secret or key of the other client must not be able to act for this one. It is disabled until an administrator has
 * looked at it.
 */
export function copiedForm(form: ClientForm, clientName: string): ClientForm {
  return {
    ...form,
    clientId: '',
    clientName: [...clientName].slice(0, maxName).join('').trim(),
    enabled: false,
    clientSecrets: [],
  };
}

export interface TypeChange {
  /** Fields of another value afterwards that the new type still shows. */
  changed: ClientField[];
  /** Fields that are back at their default afterwards and can be seen no more. */
  hidden: ClientField[];
}

/** The effects of choosing a type on a form, for the review before it is accepted (`spec §2` Set client type). */
export function typeChange(form: ClientForm, type: ClientType): TypeChange {
  const after = applyClientType(form, type);
  const fields = Object.keys(clientFields) as ClientField[];
  return {
    changed: fields.filter(
      (field) =>
        field !== 'clientType' &&
        !isHiddenFor(field, type) &&
        JSON.stringify(after[field]) !== JSON.stringify(form[field]),
    ),
    hidden: fields.filter((field) => isHiddenFor(field, type) && !isHiddenFor(field, form.clientType)),
  };
}
