import type { SeenKinds } from '../../../../src/contract/audit/access-detail.js';
import { t } from '../../shared/i18n/i18n.js';
import { plainList } from '../../shared/i18n/language.js';
import { kindName } from '../../shared/scopes/scope-texts.js';

/** Kinds that are named; further ones are counted. */
const named = 3;

/** 'Laboratory, Vital signs, Visits (while you were not there)': what the app read last, as the log says it. */
export function readText(read: { kinds: SeenKinds | undefined; unattended: boolean | undefined }): string {
  const kinds = Object.entries(read.kinds ?? {}).toSorted(([a, most], [b, more]) => more - most || (a < b ? -1 : 1));
  const words = [...new Set(kinds.map(([kind]) => kindName(kind)))];
  const rest = words.length - named;
  const shown = rest > 1 ? [...words.slice(0, named), t('grants.moreKinds', { count: rest })] : words;
  const what = shown.length === 0 ? t('grants.someData') : plainList(shown);
  return read.unattended ? t('grants.readUnattended', { what }) : what;
}
