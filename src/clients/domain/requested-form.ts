import type { ClientForm, ClientRequest } from '../../contract/clients/clients.js';
import { applyClientType, defaultClientForm } from '../../contract/rules/clients/client-fields.js';

/**
 * The form a request to register asks for: what it leaves out is as its client type has it; without a type it is
 * refused.
 */
export function formToRegister(request: ClientRequest): ClientForm {
  return overlaid(applyClientType(defaultClientForm(), request.clientType ?? 'Invalid'), request);
}

/**
 * The form a request to change asks for: what it leaves out stays; choosing a type for an invalid client applies it.
 */
export function formToChange(current: ClientForm, request: ClientRequest): ClientForm {
  const chosen = request.clientType;
  const base = current.clientType === 'Invalid' && chosen ? applyClientType(current, chosen) : current;
  return overlaid(base, request);
}

/** Null, as forms send it for an emptied field, is the default. */
function overlaid(base: ClientForm, request: ClientRequest): ClientForm {
  const defaults = defaultClientForm();
  const asked: Partial<Record<keyof ClientForm, unknown>> = request;
  const entries = (Object.keys(defaults) as (keyof ClientForm)[]).map((field) => {
    const value = asked[field];
    return [field, value === undefined ? base[field] : (value ?? defaults[field])];
  });
  return Object.fromEntries(entries) as ClientForm;
}
