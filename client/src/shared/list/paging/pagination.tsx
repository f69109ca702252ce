import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { pageSizes } from '../../../../../src/contract/rules/paging.js';
import { numeral } from '../../i18n/language.js';
import { Skeleton } from '../../ui/placeholders/skeleton.js';
import styles from './pagination.module.css';
import { shownPages } from './shown-pages.js';

/** Under a list: which of its rows are seen, and the way to the others. */
export function Pagination({
  page,
  pageSize,
  total,
  more,
  onPage,
  onPageSize,
}: {
  page: number;
  pageSize: number;
  /** Undefined until it is known. */
  total: number | undefined;
  /** There are more than `total`. */
  more?: boolean | undefined;
  onPage: (page: number) => void;
  onPageSize: (pageSize: number) => void;
}) {
  const { t } = useTranslation();
  if (total === undefined) {
    return (
      <div className={styles.pagination}>
        <Skeleton width={96} height={28} />
      </div>
    );
  }
  const last = Math.max(1, Math.ceil(total / pageSize));
  const from = Math.min((page - 1) * pageSize + 1, total);
  const range = t(more ? 'list.rangeOfMore' : 'list.range', {
    from: numeral(from),
    to: numeral(Math.min(page * pageSize, total)),
    total: numeral(total),
  });
  return (
    <nav className={styles.pagination} aria-label={t('list.pages')}>
      <span className={styles.range} role="status">
        {range}
      </span>
      <button
        type="button"
        className={styles.page}
        aria-label={t('list.previousPage')}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <LeftOutlined aria-hidden />
      </button>
      {shownPages(page, last).map((one, index) =>
        one === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gap is known by its place alone
          <span key={`gap ${index}`} className={styles.gap} aria-hidden="true">
            …
          </span>
        ) : (
          <button
            key={one}
            type="button"
            className={styles.page}
            aria-label={t('list.page', { page: numeral(one) })}
            aria-current={one === page ? 'page' : undefined}
            onClick={() => onPage(one)}
          >
            {numeral(one)}
          </button>
        ),
      )}
      <button
        type="button"
        className={styles.page}
        aria-label={t('list.nextPage')}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
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
