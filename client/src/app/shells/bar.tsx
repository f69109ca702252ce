import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useSettings } from '../../api/settings.js';
import { Logo } from '../../shared/ui/marks/brand-mark.js';
import styles from './bar.module.css';

/** Menus open within the bar, so that they are part of a landmark and scroll with it. */
export const withinBar = (trigger: HTMLElement) => trigger.closest('header') ?? document.body;

/** The bar on top of the areas: the logo leads home, except in a flow, which has to be finished or declined. */
export function Bar({ home, dense, children }: { home?: string; dense?: boolean; children: ReactNode }) {
  const { t } = useTranslation();
  const settings = useSettings();
  const name = settings.organizationTitle ?? t('product.name');
  const brand = (
    <>
      <Logo settings={settings} size={dense ? 28 : 32} />
      <span className={styles.name}>{name}</span>
    </>
  );
  return (
    <header className={dense ? `${styles.bar} ${styles.dense}` : styles.bar}>
      <a className={styles.skip} href="#content">
        {t('common.skipToContent')}
      </a>
      {home ? (
        <Link className={styles.brand} to={home} aria-label={t('header.home', { organization: name })}>
          {brand}
        </Link>
      ) : (
        <span className={styles.brand}>{brand}</span>
      )}
      {children}
    </header>
  );
}
