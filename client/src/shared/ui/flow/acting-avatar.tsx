import { useTranslation } from 'react-i18next';
import { Badged } from '../marks/badged.js';
import { Monogram } from '../marks/monogram.js';
import styles from './patient-banner.module.css';
import './words/en.js';

/** The patient, and at the lower right corner the user who acts for the patient. */
export function ActingAvatar({ patient, user, size }: { patient: string; user: string; size: number }) {
  const { t } = useTranslation();
  return (
    <span className={styles.avatar} role="img" aria-label={t('acting.avatar', { user, patient })}>
      <Badged name={user} round>
        <Monogram name={patient} size={size} round />
      </Badged>
    </span>
  );
}
