import { DownOutlined } from '@ant-design/icons';
import { Dropdown, type MenuProps } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { isPage } from '../../shared/pages.js';
import { Monogram } from '../../shared/ui/monogram.js';
import styles from './account.module.css';
import { withinBar } from './bar.js';

/** Name, role and picture of the signed-in person. */
export function AccountBadge({ user, size }: { user: CurrentUser; size: number }) {
  const { t } = useTranslation();
  return (
    <span className={styles.badge}>
      <span className={styles.who}>
        <span className={styles.name}>{user.fullName}</span>
        <span className={styles.role}>{t(`roles.${user.userType}`)}</span>
      </span>
      <Monogram name={user.fullName} size={size} round />
    </span>
  );
}

/** The avatar menu: name, role, Account settings and Logout. `compact` shows the avatar alone until it is opened. */
export function AccountMenu({ user, compact }: { user: CurrentUser; compact?: boolean }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const settingsPage = `/${user.userType === 'Admin' ? 'admin' : 'user'}/account-settings`;
  const items: MenuProps['items'] = [
    {
      type: 'group',
      key: 'who',
      label: (
        <span className={styles.head}>
          <span className={styles.name}>{user.fullName}</span>
          <span className={styles.role}>{t(`roles.${user.userType}`)}</span>
        </span>
      ),
    },
    { type: 'divider' },
    ...(isPage(settingsPage)
      ? [{ key: 'settings', label: t('header.accountSettings'), onClick: () => navigate(settingsPage) }]
      : []),
    // Signing out is the server's: the session there ends, and with it those of the apps.
    { key: 'logout', label: t('header.logout'), onClick: () => window.location.assign('/logout') },
  ];
  return (
    <Dropdown menu={{ items }} trigger={['click']} placement="bottomRight" getPopupContainer={withinBar} autoFocus>
      <button
        type="button"
        className={styles.trigger}
        aria-haspopup="menu"
        aria-label={t('header.accountMenu', { name: user.fullName })}
      >
        {compact ? <Monogram name={user.fullName} size={32} round /> : <AccountBadge user={user} size={36} />}
        <DownOutlined className={styles.arrow} aria-hidden />
      </button>
    </Dropdown>
  );
}
