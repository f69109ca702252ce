import { useTranslation } from 'react-i18next';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './launch-context-page.module.css';

/** The page's geometry while its content is coming. */
export function LaunchContextSkeleton() {
  const { t } = useTranslation();
  return (
    <FlowColumn wide>
      <h1 className="visually-hidden">{t('common.loading')}</h1>
      <div aria-hidden="true">
        <div className={styles.skeletonHead}>
          <Skeleton width={220} />
          <Skeleton width={240} height={32} />
        </div>
        <CandidatesSkeleton />
      </div>
    </FlowColumn>
  );
}

export function CandidatesSkeleton() {
  return (
    <div className={cardStyles.card} aria-hidden="true">
      {[1, 2, 3, 4, 5, 6].map((row) => (
        <div key={row} className={styles.skeletonRow}>
          <Skeleton width={22} height={22} />
          <Skeleton width="60%" />
          <Skeleton width="50%" />
          <Skeleton width="40%" />
        </div>
      ))}
    </div>
  );
}
