import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { countedEvents } from '../../../../src/contract/audit/type-groups.js';
import type { AuditList } from '../../../../src/contract/audit.js';
import { pageSizes } from '../../../../src/contract/rules/paging.js';
import { numeral } from '../../shared/i18n/language.js';
import styles from '../../shared/list/paging/pagination.module.css';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';

/** Under the list: which of its entries are seen, and the pages before and after. */
export function AuditPager({
  list,
  page,
  pageSize,
  onPage,
  onPageSize,
}: {
  list: AuditList | undefined;
  page: number;
  pageSize: number;
  onPage: (page: number, place: { after?: string; before?: string }) => void;
  onPageSize: (pageSize: number) => void;
}) {
  const { t } = useTranslation();
  if (!list) {
    return (
      <div className={styles.pagination}>
        <Skeleton width={96} height={28} />
      </div>
    );
  }
  const { events, totalCount, hasPrevious, hasNext } = list;
  const from = (page - 1) * pageSize + 1;
  const to = from + events.length - 1;
  const place = { from: numeral(from), to: numeral(to) };
  const known = totalCount !== null && totalCount >= to;
  const isMore = totalCount === countedEvents;
  const range = known
    ? t(isMore ? 'audit.rangeOfMore' : 'audit.range', { ...place, total: numeral(totalCount) })
    : t('audit.rangeOnly', place);
  return (
    <nav className={styles.pagination} aria-label={t('list.pages')}>
      <span className={styles.range} role="status">
        {range}
      </span>
      <button
        type="button"
        className={styles.page}
        aria-label={t('list.previousPage')}
        disabled={!hasPrevious}
        onClick={() => onPage(Math.max(1, page - 1), page === 2 ? {} : { before: events[0]?.cursor ?? '' })}
      >
        <LeftOutlined aria-hidden />
      </button>
      <button
        type="button"
        className={styles.page}
        aria-label={t('list.page', { page: numeral(page) })}
        aria-current="page"
      >
        {numeral(page)}
      </button>
      <button
        type="button"
        className={styles.page}
        aria-label={t('list.nextPage')}
        disabled={!hasNext}
        onClick={() => onPage(page + 1, { after: events.at(-1)?.cursor ?? '' })}
      >
        <RightOutlined aria-hidden />
      </button>
      <select
        className={styles.size}
        aria-label={t('list.pageSize')}
        value={pageSize}
        onChange={({ target }) => onPageSize(Number(target.value))}
      >
        {pageSizes.map((size) => (
          <option key={size} value={size}>
            {t('list.perPage', { size })}
          </option>
        ))}
      </select>
    </nav>
  );
}
