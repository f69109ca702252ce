import { useTranslation } from 'react-i18next';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './consent-page.module.css';

const sections = [
  ['identity', 'access'],
  ['first', 'second', 'third', 'fourth'],
];

/** The form's geometry while its content is coming. */
export function ConsentSkeleton() {
  const { t } = useTranslation();
  return (
    <FlowColumn>
      <h1 className="visually-hidden">{t('common.loading')}</h1>
      <div aria-hidden="true">
        <Skeleton width={52} height={52} />
        <div className={styles.skeletonHead}>
          <Skeleton width={380} height={28} />
          <Skeleton width={300} />
        </div>
        {sections.map((rows) => (
          <div key={rows.length} className={`${cardStyles.card} ${styles.skeletonCard}`}>
            {rows.map((row) => (
              <div key={row} className={styles.skeletonRow}>
                <Skeleton width={22} height={22} />
                <div>
                  <Skeleton width="45%" />
                  <Skeleton width="70%" height={12} />
                </div>
              </div>
            ))}
          </div>
        ))}
      </div>
    </FlowColumn>
  );
}
