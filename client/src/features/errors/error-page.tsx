import { Button } from 'antd';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import type { ErrorKind } from '../../../../src/contract/rules/pages.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { returnUrlOf } from '../../shared/addresses/return-url.js';
import { pageOfDraft } from '../../shared/drafts/drafts.js';
import { locale } from '../../shared/i18n/language.js';
import { BackgroundArt } from '../../shared/ui/layout/background-art.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { ProductMark } from '../../shared/ui/marks/brand-mark.js';
import styles from './error-page.module.css';
import './words/en.js';

const arches = [{ radius: 272, dotted: true }, { radius: 336 }, { radius: 400 }, { radius: 464 }];

interface Props {
  kind: ErrorKind;
}

/**
 * The part of the page about an app's request; a server that has failed may not deliver it, and the page is shown
 * without.
 */
const FlowError = lazy(() => import('./flow-error.js').catch(() => ({ default: PlainError })));

/**
 * 400, 404, 429 and 500. Asks the server nothing, since it may be the server that failed; but what became of an app's
 * request that has ended.
 */
export function ErrorPage({ kind }: Props) {
  const { t } = useTranslation();
  return (
    <div className={styles.page}>
      <main className={styles.column}>
        <BackgroundArt arches={arches} className={styles.arches} />
        <Content kind={kind} />
      </main>
      <footer className={styles.footer}>
        {new Date().toLocaleString(locale(), { dateStyle: 'long', timeStyle: 'short' })} ·{' '}
        {t('product.footer', { version: __APP_VERSION__ })}
      </footer>
    </div>
  );
}

function Content({ kind }: Props) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const returnUrl = kind === 'badRequest' || kind === 'throttled' ? returnUrlOf(query.toString()) : null;
  const parts = {
    heading: (
      <>
        <p className={styles.code}>{t(`errorPages.${kind}.code`)}</p>
        <PageTitle className={styles.title}>{t(`errorPages.${kind}.title`)}</PageTitle>
      </>
    ),
    text: t(`errorPages.${kind}.text`),
    home: <Ways kind={kind} />,
  };
  if (returnUrl === null && !document.querySelector('meta[name="gatehouse-reference"]'))
    return <PlainError {...parts} />;
  return (
    <Suspense fallback={<PlainError {...parts} home={null} />}>
      <FlowError kind={kind} {...parts} returnUrl={returnUrl} />
    </Suspense>
  );
}

function PlainError({ heading, text, home }: Record<'heading' | 'text' | 'home', ReactNode>) {
  return (
    <>
      <ProductMark size={44} />
      {heading}
      <p className={styles.text}>{text}</p>
      {home}
    </>
  );
}

function Ways({ kind }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [draft] = useState(() => (kind === 'server' ? pageOfDraft() : undefined));
  if (!draft) {
    return (
      <Button type="primary" href={portalPath('/')}>
        {t('errorPages.home')}
      </Button>
    );
  }
  return (
    <div className={styles.ways}>
      <Button type="primary" onClick={() => navigate(draft)}>
        {t('errorPages.draft')}
      </Button>
      <Button href={portalPath('/')}>{t('errorPages.home')}</Button>
    </div>
  );
}
