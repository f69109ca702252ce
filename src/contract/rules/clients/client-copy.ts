import type { ClientForm } from '../../clients/clients.js';

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
