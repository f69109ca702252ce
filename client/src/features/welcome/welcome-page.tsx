import './words/en.js';
import { ArrowRightOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { useSettings } from '../../api/settings.js';
import { knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { recordVisit } from '../../shared/browser/visit.js';
import { BackgroundArt } from '../../shared/ui/layout/background-art.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Logo } from '../../shared/ui/marks/brand-mark.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './welcome-page.module.css';

const arches = [{ radius: 72, filled: true }, { radius: 128 }, { radius: 184 }, { radius: 240 }, { radius: 296 }];

/** The first page in a new browser: shown once, before signing in or creating the first account. */
export function WelcomePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const settings = useSettings();
  const { adminAccountIsConfigured, documentation, organizationTitle, version } = settings;
  useEffect(recordVisit, []);

  const [query] = useSearchParams();
  const returnUrl = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin)?.address;
  const onwards = new URLSearchParams({ firstVisit: 'true', ...(returnUrl && { returnUrl }) });
  const next = `${adminAccountIsConfigured ? '/login' : '/register'}?${onwards}`;
  return (
    <div className={styles.page}>
      <BackgroundArt arches={arches} strong className={styles.arches} />
      <header className={styles.brand}>
        <Logo settings={settings} size={36} />
        <span>{organizationTitle ?? t('product.name')}</span>
      </header>
      <main className={styles.main}>
        <PageTitle className={styles.title}>
          {organizationTitle ? t('welcome.titleOf', { organization: organizationTitle }) : t('welcome.title')}
        </PageTitle>
        <p className={styles.lead}>{t(organizationTitle ? 'welcome.leadOf' : 'welcome.lead')}</p>
        <div className={styles.actions}>
          <Button type="primary" onClick={() => navigate(next)} className={styles.start}>
            {t('welcome.start')} <ArrowRightOutlined aria-hidden />
          </Button>
          {documentation.product && (
            <NewTabLink className={styles.documentation} href={documentation.product}>
              {t('welcome.documentation')}
            </NewTabLink>
          )}
        </div>
      </main>
      <footer className={styles.footer}>{t('welcome.version', { version })}</footer>
    </div>
  );
}
