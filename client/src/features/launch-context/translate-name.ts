import { textAt } from '../../shared/i18n/messages.js';
import { words } from './words/en.js';

/** The name of a resource type or of a column: the portal's own are translated, those of the deployer are not. */
export function translateName(kind: 'types' | 'columns', name: string): string {
  return Object.hasOwn(words.launchContext[kind], name) ? textAt(`launchContext.${kind}.${name}`) : name;
}
