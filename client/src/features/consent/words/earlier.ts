import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import { t } from '../../../shared/i18n/i18n.js';
import { locale, plainList } from '../../../shared/i18n/language.js';

/** Of more titles the number is told. */
const named = 3;
const dayMs = 86_400_000;

/** The titles of what an earlier decision allowed of this request, and of what it says nothing about. */
export interface Earlier {
  allowed: string[];
  news: string[];
}

/**
 * When the user decided about the app before, and what it asks for now that it did not ask for then. Where that
 * decision left something out: what it allowed, and that the rest is asked again.
 */
export function earlierTexts(
  { decidedAt, leftOutBefore }: Pick<ConsentRequest, 'decidedAt' | 'leftOutBefore'>,
  { allowed, news }: Earlier,
  now = new Date(),
): string[] {
  const at = new Date(decidedAt ?? now);
  const isRecent = now.getTime() - at.getTime() < 28 * dayMs;
  const year = at.getFullYear() === now.getFullYear() ? undefined : ('numeric' as const);
  const format = (day?: 'numeric') => new Intl.DateTimeFormat(locale(), { day, month: 'long', year }).format(at);
  const decided = isRecent
    ? t('consent.allowedOn', { day: format('numeric') })
    : t('consent.allowedIn', { month: format() });
  const isPartial = leftOutBefore.length > 0;
  return [
    decided,
    ...(isPartial && allowed.length > 0 ? [t('consent.allowedThen', { what: someOf(allowed) })] : []),
    ...(isPartial ? [t('consent.askedAgain')] : []),
    news.length === 0 ? t('consent.nothingNew') : t('consent.newSince', { what: someOf(news) }),
  ];
}

function someOf(titles: string[]): string {
  const rest = titles.length - named;
  return plainList(rest > 1 ? [...titles.slice(0, named), t('consent.andMore', { count: rest })] : titles);
}
