import { Dropdown, type MenuProps } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { Path } from '../../../../src/contract/rules/pages.js';
import type { CurrentUser, UserType } from '../../../../src/contract/session.js';
import { useSettings } from '../../api/settings.js';
import { signOut } from '../../shared/browser/sign-out.js';
import '../../shared/addresses/words/en.js';
import styles from './account.module.css';
import { AccountTrigger } from './account-trigger.js';
import { withinBar } from './bar.js';

interface MenuPage {
  text: 'grants.title' | 'grants.accessLog' | 'grants.family';
  path: Path;
}

const manageApps: MenuPage = { text: 'grants.title', path: '/user/grants' };
const family: MenuPage = { text: 'grants.family', path: '/user/family' };
/** Pages of areas that have no other navigation. */
const pagesOf: Record<UserType, MenuPage[]> = {
  Patient: [manageApps, { text: 'grants.accessLog', path: '/user/access-log' }, family],
  Practitioner: [manageApps],
  RelatedPerson: [manageApps, family],
  Admin: [],
  Incomplete: [],
};

/** The menu with its button; it opens by itself where that was pressed already, and takes the focus over. */
export function AccountDropdown({
  user,
  compact,
  opened,
  focused,
}: {
  user: CurrentUser;
  compact?: boolean | undefined;
  opened: boolean;
  focused: boolean;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  // Afterwards, as if it was pressed now: only what opens takes the focus into the menu.
  useEffect(() => setOpen(opened), [opened]);
  const navigate = useNavigate();
  const settingsPage: Path = `/${user.userType === 'Admin' ? 'admin' : 'user'}/account-settings`;
  const { familyPages } = useSettings();
  const pages = pagesOf[user.userType].filter((page) => page !== family || familyPages);
  const items: MenuProps['items'] = [
    {
      type: 'group',
      key: 'who',
      label: (
        <span className={styles.head}>
          <span className={styles.name}>
            <bdi>{user.fullName}</bdi>
          </span>
          <span className={styles.role}>{t(`roles.${user.userType}`)}</span>
        </span>
      ),
    },
    { type: 'divider' },
    ...pages.map(({ text, path }) => ({
      key: text,
      label: t(text),
      onClick: () => navigate(path),
    })),
    { key: 'settings', label: t('header.accountSettings'), onClick: () => navigate(settingsPage) },
    // Signing out is the server's: the session there ends, and with it those of the apps.
    { key: 'logout', label: t('header.logout'), onClick: () => signOut() },
  ];
  return (
    <Dropdown
      menu={{ items }}
      open={open}
      onOpenChange={setOpen}
      trigger={['click']}
      placement="bottomRight"
      getPopupContainer={withinBar}
      autoFocus
    >
      <AccountTrigger user={user} compact={compact} autoFocus={focused} />
    </Dropdown>
  );
}
