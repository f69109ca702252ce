import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import { t } from '../../../shared/i18n/i18n.js';
import { locale, plainList } from '../../../shared/i18n/language.js';

/** More of what is new are counted. */
const named = 3;
const dayMs = 86_400_000;

/** When the user decided about the app before, and what it asks for now that it did not ask for then. */
export function earlierTexts(
  { decidedAt }: Pick<ConsentRequest, 'decidedAt'>,
  news: string[],
  now = new Date(),
): string[] {
  const at = new Date(decidedAt ?? now);
  const isRecent = now.getTime() - at.getTime() < 28 * dayMs;
  const year = at.getFullYear() === now.getFullYear() ? undefined : ('numeric' as const);
  const format = (day?: 'numeric') => new Intl.DateTimeFormat(locale(), { day, month: 'long', year }).format(at);
  const allowed = isRecent
    ? t('consent.allowedOn', { day: format('numeric') })
    : t('consent.allowedIn', { month: format() });
  return [allowed, newsText(news)];
}

function newsText(news: string[]): string {
  if (news.length === 0) return t('consent.nothingNew');
  const rest = news.length - named;
  const shown = rest > 1 ? [...news.slice(0, named), t('consent.andMore', { count: rest })] : news;
  return t('consent.newSince', { what: plainList(shown) });
}
