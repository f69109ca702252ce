import { t } from '../../shared/i18n/i18n.js';
import { textAt } from '../../shared/i18n/messages.js';
import { words } from './words/en.js';

/** The name of a resource type or of a column: the portal's own are translated, those of the deployer are not. */
export function translateName(kind: 'types' | 'columns', name: string): string {
  return Object.hasOwn(words.launchContext[kind], name) ? textAt(`launchContext.${kind}.${name}`) : name;
}

/** The heading of a choice (`spec §4`). */
export function titleOf(type: string): string {
  if (type === 'Patient') return t('launchContext.titlePatient');
  return type === 'Encounter' ? t('launchContext.titleEncounter') : t('launchContext.title', { resource: type });
}
