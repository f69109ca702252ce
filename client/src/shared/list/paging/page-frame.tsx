import { LeftOutlined, RightOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { pageSizes } from '../../../../../src/contract/rules/lists.js';
import { numeral } from '../../i18n/language.js';
import { Skeleton } from '../../ui/placeholders/skeleton.js';
import styles from './pagination.module.css';
import '../words/en.js';

/** Under a list: which of its rows are seen, the pages before and after, and how many rows a page has. */
export function PageFrame({
  range,
  onPrevious,
  onNext,
  pageSize,
  onPageSize,
  children,
}: {
  range: string;
  /** Undefined on the first page. */
  onPrevious: (() => void) | undefined;
  /** Undefined on the last page. */
  onNext: (() => void) | undefined;
  pageSize: number;
  onPageSize: (pageSize: number) => void;
  /** The pages that can be opened by their number. */
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <nav className={styles.pagination} aria-label={t('list.pages')}>
      <span className={styles.range} role="status">
        {range}
      </span>
      <button
        type="button"
        className={styles.page}
        aria-label={t('list.previousPage')}
        disabled={!onPrevious}
        onClick={onPrevious}
      >
        <LeftOutlined aria-hidden />
      </button>
      {children}
      <button type="button" className={styles.page} aria-label={t('list.nextPage')} disabled={!onNext} onClick={onNext}>
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

export function PageButton({ page, current, onClick }: { page: number; current: boolean; onClick?: () => void }) {
  const { t } = useTranslation();
  return (
    <button
      type="button"
      className={styles.page}
      aria-label={t('list.page', { page: numeral(page) })}
      aria-current={current ? 'page' : undefined}
      onClick={onClick}
    >
      {numeral(page)}
    </button>
  );
}

/** Until the number of rows is known. */
export function PageSkeleton() {
  return (
    <div className={styles.pagination}>
      <Skeleton width={96} height={28} />
    </div>
  );
}
