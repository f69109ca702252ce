import type { ClientForm } from '../../clients/clients.js';
import { applyClientType, type ClientField, clientFields, isHiddenFor } from './client-fields.js';
import type { ClientType } from './client-values.js';

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
