import { useTranslation } from 'react-i18next';
import { initialsOfUser } from '../../../../../src/contract/rules/initials.js';
import { Monogram } from '../marks/monogram.js';
import styles from './acting-avatar.module.css';
import './words/en.js';

/** The patient, and at the lower right corner the user who acts for the patient. */
export function ActingAvatar({ patient, user, size }: { patient: string; user: string; size: number }) {
  const { t } = useTranslation();
  return (
    <span className={styles.avatar} role="img" aria-label={t('acting.avatar', { user, patient })}>
      <Monogram name={patient} size={size} round />
      <span className={styles.user} aria-hidden="true">
        {initialsOfUser(user)}
      </span>
    </span>
  );
}
