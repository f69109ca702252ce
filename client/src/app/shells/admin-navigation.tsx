import { BookOutlined, DownOutlined, MenuOutlined } from '@ant-design/icons';
import { Dropdown, type MenuProps } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, NavLink, useLocation } from 'react-router-dom';
import type { Path } from '../../../../src/contract/rules/pages.js';
import { useRequestCountQuery } from '../../api/requests.js';
import { useSettings } from '../../api/settings.js';
import { useMedia } from '../../shared/browser/use-media.js';
import { numeral } from '../../shared/i18n/language.js';
import { Count } from '../../shared/ui/marks/count.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './admin-navigation.module.css';
import { withinBar } from './bar.js';
import { PaletteOpener } from './palette-opener.js';
import '../../shared/addresses/words/en.js';

interface Entry {
  to: Path;
  label:
    | `navigation.${'dashboard' | 'users' | 'clients' | 'requests' | 'openid' | 'smart' | 'api'}`
    | 'activity.title'
    | 'activity.auditTitle';
  /** A page that is reached from the page of this entry. */
  above?: readonly Path[];
}

const single: Entry[] = [
  { to: '/admin/dashboard', label: 'navigation.dashboard', above: ['/admin/readiness', '/admin/connect-fhir-server'] },
  { to: '/admin/user-management', label: 'navigation.users', above: ['/admin/age-rules'] },
  { to: '/admin/client-management', label: 'navigation.clients', above: ['/admin/try-launch'] },
  { to: '/admin/requests', label: 'navigation.requests' },
  { to: '/admin/activity', label: 'activity.title' },
  { to: '/admin/audit', label: 'activity.auditTitle' },
];

const oauth: Entry[] = [
  { to: '/admin/openid-configuration', label: 'navigation.openid' },
  { to: '/admin/smart-configuration', label: 'navigation.smart' },
  { to: '/admin/api', label: 'navigation.api' },
];

/** A menu that opens focuses its first item as a whole, where Enter would not reach the link in it. */
const followLink: MenuProps['onClick'] = ({ domEvent: { target } }) => {
  if (target instanceof HTMLLIElement) target.querySelector('a')?.click();
};

/** The links of the admin area: in the bar, or behind a menu button where the bar is too narrow for them. */
export function AdminNavigation() {
  const wide = useMedia('(min-width: 1200px)');
  // The search keeps its place among its siblings: it stays open when the window gets narrower or wider.
  return (
    <>
      {wide && <WideLinks />}
      <PaletteOpener />
      {wide ? <Documentation /> : <NarrowMenu />}
    </>
  );
}

function useItems() {
  const { t } = useTranslation();
  return (entries: Entry[]) =>
    entries.map(({ to, label }) => ({
      key: to,
      label: (
        <Link to={to}>
          {t(label)}
          {to === '/admin/requests' && <OpenRequests />}
        </Link>
      ),
    }));
}

/** Requests are there where accounts act for patients. */
function useSingle(): Entry[] {
  const { familyPages } = useSettings();
  return single.filter(({ to }) => to !== '/admin/requests' || familyPages);
}

/** The number of requests that wait; asked for again every minute. */
function OpenRequests() {
  const { t } = useTranslation();
  const { data } = useRequestCountQuery(undefined, { pollingInterval: 60_000, skipPollingIfUnfocused: true });
  if (!data || data.open === 0) return null;
  const number = numeral(data.open);
  return <Count shown={number} words={t('navigation.requestsOpen', { number })} />;
}

function NarrowMenu() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { documentation } = useSettings();
  const items = useItems();
  const all: MenuProps['items'] = [
    ...items(useSingle()),
    { type: 'group', label: t('navigation.oauth'), children: items(oauth) },
    ...(documentation.product
      ? [
          { type: 'divider' as const },
          { key: 'docs', label: <NewTabLink href={documentation.product}>{t('common.documentation')}</NewTabLink> },
        ]
      : []),
  ];
  return (
    <nav aria-label={t('navigation.label')}>
      <Dropdown
        menu={{ items: all, selectedKeys: [pathname], onClick: followLink }}
        trigger={['click']}
        getPopupContainer={withinBar}
        autoFocus
      >
        <button type="button" className={styles.menuButton} aria-haspopup="menu" aria-label={t('header.menu')}>
          <MenuOutlined aria-hidden />
        </button>
      </Dropdown>
    </nav>
  );
}

function WideLinks() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const items = useItems();
  return (
    <nav className={styles.links} aria-label={t('navigation.label')}>
      {useSingle().map(({ to, label, above }) => (
        <NavLink
          key={to}
          className={above?.includes(pathname as Path) ? `${styles.link} ${styles.current}` : styles.link}
          to={to}
        >
          {t(label)}
          {to === '/admin/requests' && <OpenRequests />}
        </NavLink>
      ))}
      <Dropdown
        menu={{ items: items(oauth), selectedKeys: [pathname], onClick: followLink }}
        trigger={['click']}
        getPopupContainer={withinBar}
        autoFocus
      >
        <button
          type="button"
          className={oauth.some(({ to }) => to === pathname) ? `${styles.link} ${styles.current}` : styles.link}
          aria-haspopup="menu"
        >
          {t('navigation.oauth')} <DownOutlined className={styles.arrow} aria-hidden />
        </button>
      </Dropdown>
    </nav>
  );
}

function Documentation() {
  const { t } = useTranslation();
  const { documentation } = useSettings();
  if (!documentation.product) return null;
  return (
    <NewTabLink className={styles.documentation} href={documentation.product}>
      <BookOutlined aria-hidden />
      <span className="visually-hidden">{t('common.documentation')}</span>
    </NewTabLink>
  );
}
