import { useTranslation } from 'react-i18next';
import { numeral } from '../../i18n/language.js';
import { PageButton, PageFrame, PageSkeleton } from './page-frame.js';
import styles from './pagination.module.css';
import { shownPages } from './shown-pages.js';
import '../words/en.js';

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
  if (total === undefined) return <PageSkeleton />;
  const last = Math.max(1, Math.ceil(total / pageSize));
  const from = Math.min((page - 1) * pageSize + 1, total);
  const range = t(more ? 'list.rangeOfMore' : 'list.range', {
    from: numeral(from),
    to: numeral(Math.min(page * pageSize, total)),
    total: numeral(total),
  });
  return (
    <PageFrame
      range={range}
      onPrevious={page > 1 ? () => onPage(page - 1) : undefined}
      onNext={page < last ? () => onPage(page + 1) : undefined}
      pageSize={pageSize}
      onPageSize={onPageSize}
    >
      {shownPages(page, last).map((one, index) =>
        one === null ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gap is known by its place alone
          <span key={`gap ${index}`} className={styles.gap} aria-hidden="true">
            …
          </span>
        ) : (
          <PageButton key={one} page={one} current={one === page} onClick={() => onPage(one)} />
        ),
      )}
    </PageFrame>
  );
}
