import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router-dom';
import { useSettings } from '../../api/settings.js';
import { BackgroundArt } from '../../shared/ui/layout/background-art.js';
import { Logo } from '../../shared/ui/marks/brand-mark.js';
import styles from './card-shell.module.css';

const arches = [{ radius: 344 }, { radius: 408 }, { radius: 472 }, { radius: 536 }];

/** Sign-in and what belongs to it: the organization's name above one card; on a phone no card. */
export function CardShell() {
  const { t } = useTranslation();
  const settings = useSettings();
  return (
    <div className={styles.page}>
      <div className={styles.column}>
        <BackgroundArt arches={arches} className={styles.arches} />
        <header className={styles.brand}>
          <Logo settings={settings} size={36} />
          <span>{settings.organizationTitle ?? t('product.name')}</span>
        </header>
        <main className={styles.card}>
          <Outlet />
        </main>
      </div>
      <footer className={styles.footer}>{t('product.footer', { version: settings.version })}</footer>
    </div>
  );
}
