import { useTranslation } from 'react-i18next';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './consent-page.module.css';

const rows = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** The form's geometry while its content is coming. */
export function ConsentSkeleton() {
  const { t } = useTranslation();
  return (
    <FlowColumn>
      <h1 className="visually-hidden">{t('common.loading')}</h1>
      <div aria-hidden="true">
        <div className={styles.head}>
          <Skeleton width={120} height={44} />
          <Skeleton width={180} />
        </div>
        <div className={styles.skeletonHead}>
          <Skeleton width="80%" height={28} />
          <Skeleton width="95%" />
          <Skeleton width="60%" />
        </div>
        <div className={`${cardStyles.card} ${styles.skeletonCard}`}>
          {rows.map((row) => (
            <div key={row} className={styles.skeletonRow}>
              <Skeleton width={22} height={22} />
              <Skeleton width="45%" />
              <Skeleton width={38} height={24} />
            </div>
          ))}
        </div>
      </div>
    </FlowColumn>
  );
}
