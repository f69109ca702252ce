import { useTranslation } from 'react-i18next';
import { countedEvents } from '../../../../src/contract/audit/type-groups.js';
import type { AuditList } from '../../../../src/contract/audit.js';
import { numeral } from '../../shared/i18n/language.js';
import { PageButton, PageFrame, PageSkeleton } from '../../shared/list/paging/page-frame.js';

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
  if (!list) return <PageSkeleton />;
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
    <PageFrame
      range={range}
      onPrevious={
        hasPrevious
          ? () => onPage(Math.max(1, page - 1), page === 2 ? {} : { before: events[0]?.cursor ?? '' })
          : undefined
      }
      onNext={hasNext ? () => onPage(page + 1, { after: events.at(-1)?.cursor ?? '' }) : undefined}
      pageSize={pageSize}
      onPageSize={onPageSize}
    >
      <PageButton page={page} current />
    </PageFrame>
  );
}
