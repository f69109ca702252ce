import { AppstoreOutlined, RightOutlined, SettingOutlined, TeamOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Path } from '../../../../src/contract/rules/pages.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './dashboard-page.module.css';

const tiles = [
  {
    to: '/admin/user-management',
    title: 'dashboard.manageUsers',
    help: 'dashboard.manageUsersHelp',
    icon: TeamOutlined,
  },
  {
    to: '/admin/client-management',
    title: 'dashboard.manageClients',
    help: 'dashboard.manageClientsHelp',
    icon: AppstoreOutlined,
  },
  {
    to: '/admin/openid-configuration',
    title: 'dashboard.openid',
    help: 'dashboard.openidHelp',
    icon: SettingOutlined,
  },
] as const satisfies readonly ({ to: Path } & Record<string, unknown>)[];

/** Tiles to the pages an administrator uses most. */
export function Actions() {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="actions">
      <h2 id="actions" className={styles.heading}>
        {t('dashboard.actions')}
      </h2>
      <ul className={styles.tiles}>
        {tiles.map(({ to, title, help, icon: Icon }) => (
          <li key={to} className={cardStyles.card}>
            <Link className={styles.tile} to={to}>
              <span className={styles.tileIcon}>
                <Icon aria-hidden />
              </span>
              <span className={styles.step}>
                <span className={styles.tileTitle}>{t(title)}</span>
                <span className={styles.help}>{t(help)}</span>
              </span>
              <RightOutlined className={styles.aside} aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
