import { DownOutlined } from '@ant-design/icons';
import type { ButtonHTMLAttributes, Ref } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import styles from './account.module.css';
import { AccountBadge } from './account-badge.js';

/** The button that opens the account menu. */
export function AccountTrigger({
  user,
  compact,
  ...button
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  user: CurrentUser;
  compact?: boolean | undefined;
  ref?: Ref<HTMLButtonElement>;
}) {
  const { t } = useTranslation();
  return (
    <button
      {...button}
      type="button"
      className={`${button.className ?? ''} ${styles.trigger}`}
      aria-haspopup="menu"
      aria-label={t('header.accountMenu', { name: user.fullName })}
    >
      {compact ? <Monogram name={user.fullName} size={32} round /> : <AccountBadge user={user} size={36} />}
      <DownOutlined className={styles.arrow} aria-hidden />
    </button>
  );
}
