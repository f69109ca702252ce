import { useTranslation } from 'react-i18next';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';
import { locale, numeral } from '../../shared/i18n/language.js';
import { SearchField } from '../../shared/list/search-field.js';
import { appName } from './app-card.js';
import styles from './grants-page.module.css';

/** Number of apps from which on they can be searched and sorted. */
const many = 8;

const orders = ['name', 'read', 'allowed'] as const;
type Order = (typeof orders)[number];

const orderTexts = { name: 'sortName', read: 'sortRead', allowed: 'sortAllowed' } as const;

/** The apps that the search finds, in the chosen order; both are kept in the address. */
export function useAppTools(grants: ClientGrant[]) {
  const { t } = useTranslation();
  const { query, change } = usePageQuery();
  const isMany = grants.length >= many;
  const search = isMany ? (query.get('search') ?? '') : '';
  const order = (isMany && orders.find((one) => one === query.get('sort'))) || 'name';
  const set = (name: 'search' | 'sort', value: string, initial: string) =>
    change(
      (current) => {
        const next = new URLSearchParams(current);
        if (value === initial) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const shown = sorted(matchingGrants(grants, search), order);
  const tools = isMany && (
    <>
      <search className={styles.tools}>
        <SearchField value={search} placeholder={t('grants.search')} onSearch={(term) => set('search', term, '')} />
        <label className={styles.sort}>
          <span>{t('grants.sort')}</span>
          <select value={order} onChange={({ target }) => set('sort', target.value, 'name')}>
            {orders.map((one) => (
              <option key={one} value={one}>
                {t(`grants.${orderTexts[one]}`)}
              </option>
            ))}
          </select>
        </label>
      </search>
      <p className={styles.found} role="status">
        {search && t('grants.foundOf', { count: grants.length, shown: numeral(shown.length) })}
      </p>
    </>
  );
  return { shown, tools, clear: () => set('search', '', '') };
}

/** Names and companies with these words. */
function matchingGrants(grants: ClientGrant[], search: string): ClientGrant[] {
  const words = search.toLocaleLowerCase(locale()).split(/\s+/).filter(Boolean);
  return grants.filter((grant) => {
    const text = `${appName(grant)} ${grant.legalCompanyName ?? ''}`.toLocaleLowerCase(locale());
    return words.every((word) => text.includes(word));
  });
}

/** The latest first; those without a time last. */
function sorted(grants: ClientGrant[], order: Order): ClientGrant[] {
  const byName = (one: ClientGrant, other: ClientGrant) => appName(one).localeCompare(appName(other), locale());
  if (order === 'name') return grants.toSorted(byName);
  const timeOf = ({ created, lastRead, lastUsed }: ClientGrant) =>
    (order === 'allowed' ? created : lastRead === undefined ? lastUsed : lastRead) ?? '';
  return grants.toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)) || byName(one, other));
}
