import { useTranslation } from 'react-i18next';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './disclaimers-page.module.css';

/** The form's geometry while its content is coming. */
export function DisclaimersSkeleton() {
  const { t } = useTranslation();
  return (
    <FlowColumn>
      <h1 className="visually-hidden">{t('common.loading')}</h1>
      <div aria-hidden="true">
        <div className={styles.skeletonHead}>
          <Skeleton width={200} height={32} />
          <Skeleton width={320} />
        </div>
        <div className={cardStyles.card}>
          {[1, 2, 3].map((row) => (
            <div key={row} className={styles.skeletonRow}>
              <Skeleton width={22} height={22} />
              <Skeleton width="60%" />
            </div>
          ))}
        </div>
      </div>
    </FlowColumn>
  );
}
