import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { useActingFor } from '../../shared/browser/acting-now.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import styles from './account.module.css';

/** Name, role and picture of the signed-in person. */
export function AccountBadge({ user, size }: { user: CurrentUser; size: number }) {
  const { t } = useTranslation();
  const acting = useActingFor();
  return (
    <span className={styles.badge}>
      <span className={styles.who}>
        <span className={styles.name}>
          <bdi>{user.fullName}</bdi>
        </span>
        <span className={styles.role}>{acting ?? t(`roles.${user.userType}`)}</span>
      </span>
      <Monogram name={user.fullName} size={size} round />
    </span>
  );
}
