import { useTranslation } from 'react-i18next';
import { Bone } from '../../shared/ui/bones.js';
import cardStyles from '../../shared/ui/card.module.css';
import styles from './consent-page.module.css';

const sections = [
  ['identity', 'access'],
  ['first', 'second', 'third', 'fourth'],
];

/** The form's geometry while its content is coming. */
export function ConsentSkeleton() {
  const { t } = useTranslation();
  return (
    <div className={styles.column}>
      <h1 className="visually-hidden">{t('common.loading')}</h1>
      <div aria-hidden="true">
        <Bone width={52} height={52} />
        <div className={styles.skeletonHead}>
          <Bone width={380} height={28} />
          <Bone width={300} />
        </div>
        {sections.map((rows) => (
          <div key={rows.length} className={`${cardStyles.card} ${styles.skeletonCard}`}>
            {rows.map((row) => (
              <div key={row} className={styles.skeletonRow}>
                <Bone width={22} height={22} />
                <div>
                  <Bone width="45%" />
                  <Bone width="70%" height={12} />
                </div>
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
