import './words/en.js';
import { VerticalAlignBottomOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { formErrors, notifyFailure } from '../../api/failures/form-errors.js';
import { useConfirmTestMailMutation, useReadinessQuery } from '../../api/readiness.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { notify } from '../../shared/notices.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { CheckSection } from './check-section.js';
import styles from './readiness.module.css';
import { Summary } from './summary.js';
import '../dashboard/words/en.js';

/** The report of what an installation should have before it goes live, made when the page opens and on request. */
export function ReadinessPage() {
  const { t } = useTranslation();
  const confirming = useConfirmedMail();
  const {
    data: report,
    isError,
    isFetching,
    refetch,
  } = useReadinessQuery(undefined, { skip: confirming, refetchOnMountOrArgChange: true });
  const busy = isFetching || confirming;
  const slow = useSlow(busy && !report);
  const content = useRef<HTMLDivElement>(null);
  usePrintedWhole(content);
  return (
    <div className={styles.page}>
      <div className={styles.head}>
        <div>
          <nav aria-label={t('readiness.position')}>
            <ol className={styles.breadcrumb}>
              <li>
                <Link className="target" to="/admin/dashboard">
                  {t('dashboard.title')}
                </Link>
              </li>
              <li aria-current="page">{t('readiness.breadcrumb')}</li>
            </ol>
          </nav>
          <PageTitle>{t('readiness.title')}</PageTitle>
        </div>
        <div className={styles.actions}>
          <Button
            icon={<VerticalAlignBottomOutlined aria-hidden />}
            disabled={!report}
            {...(report && { href: asFile(report), download: fileName(report.checkedAt) })}
          >
            {t('readiness.download')}
          </Button>
          <Button type="primary" loading={busy} onClick={refetch}>
            {t('readiness.checkAgain')}
          </Button>
        </div>
      </div>
      {!report && isError && !busy && <LoadFailed onRetry={refetch} />}
      {!report && slow && <Skeletons />}
      {report && (
        <div className={styles.columns}>
          <div ref={content} className={styles.sections} aria-busy={busy}>
            {report.sections.map((section) => (
              <CheckSection key={section.group} section={section} onMailSent={refetch} />
            ))}
          </div>
          <Summary report={report} />
        </div>
      )}
    </div>
  );
}

/** Confirms the test mail whose link led to this page. True while that is under way. */
function useConfirmedMail(): boolean {
  const { t } = useTranslation();
  const { query, change } = usePageQuery();
  const [confirm] = useConfirmTestMailMutation();
  const token = query.get('mail');
  const effects = useRef({ change, confirm, t });
  effects.current = { change, confirm, t };
  useEffect(() => {
    if (token === null) return;
    const finish = async () => {
      const { error } = await effects.current.confirm({ token });
      if (error) notifyFailure(error, formErrors(error).form[0]);
      else notify('success', effects.current.t('readiness.testMailConfirmed'));
      effects.current.change(() => new URLSearchParams(), { replace: true });
    };
    void finish();
  }, [token]);
  return token !== null;
}

/** Parts that are folded on the screen are printed, too. */
function usePrintedWhole(content: React.RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let opened: HTMLDetailsElement[] = [];
    const before = () => {
      opened = [...(content.current?.querySelectorAll<HTMLDetailsElement>('details:not([open])') ?? [])];
      for (const one of opened) one.open = true;
    };
    const after = () => {
      for (const one of opened) one.open = false;
    };
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [content]);
}

function Skeletons() {
  const { t } = useTranslation();
  return (
    <div className={styles.columns} role="status" aria-label={t('common.loading')}>
      <div className={styles.sections}>
        {[4, 4, 4, 4].map((rows, section) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars are known by their place alone
          <div key={section} className={cardStyles.card}>
            {Array.from({ length: rows }, (_, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: bars are known by their place alone
              <div key={row} className={styles.bone}>
                <Skeleton width="35%" />
                <Skeleton width="65%" height={12} />
              </div>
            ))}
          </div>
        ))}
      </div>
      <div className={`${cardStyles.card} ${styles.summary}`}>
        <Skeleton width="40%" height={24} />
        <Skeleton width="80%" height={20} />
      </div>
    </div>
  );
}

const fileName = (checkedAt: string) => `gatehouse-readiness-${checkedAt.slice(0, 10)}.json`;
const asFile = (report: object) =>
  `data:application/json;charset=utf-8,${encodeURIComponent(`${JSON.stringify(report, null, 2)}\n`)}`;
