import type { TFunction } from 'i18next';
import type { ClientChange } from '../../../../../../src/contract/clients/client-changes.js';
import '../words/en.js';

/** The administrator or the service that made a change. */
export function authorName(t: TFunction, change: ClientChange | undefined): string {
  if (!change) return t('clientEdit.anotherAdministrator');
  const { who, service } = change;
  if (service !== null) return service;
  if (who === null) return t('clientEdit.configuration');
  return who.name ?? t('clientEdit.formerAdministrator');
}
