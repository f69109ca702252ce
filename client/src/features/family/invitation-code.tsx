import { useTranslation } from 'react-i18next';
import type { InvitationWithCode } from '../../../../src/contract/invitations.js';
import { longDate } from '../../shared/i18n/dates.js';
import styles from './family.module.css';

/** Six digits in two groups; screen readers say them digit by digit. */
export function InvitationCode({ invitation }: { invitation: InvitationWithCode }) {
  const { t } = useTranslation();
  const { spokenCode: code, expiresAt, triesLeft } = invitation;
  return (
    <div className={styles.code}>
      <p>{t('family.code')}</p>
      <p className={styles.digits}>
        <span aria-hidden="true">
          {code.slice(0, 3)} {code.slice(3)}
        </span>
        <span className="visually-hidden">{[...code].join(' ')}</span>
      </p>
      <p>{t('family.codeUntil', { date: longDate(expiresAt).date, count: triesLeft })}</p>
    </div>
  );
}
