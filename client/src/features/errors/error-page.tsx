import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import type { ErrorKind } from '../../../../src/contract/rules/pages.js';
import { useEndedAuthorizationQuery } from '../../api/authorization.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { returnUrlOf } from '../../shared/addresses/return-url.js';
import { pageOfDraft } from '../../shared/drafts/drafts.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { BackgroundArt } from '../../shared/ui/layout/background-art.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { ProductMark } from '../../shared/ui/marks/brand-mark.js';
import styles from './error-page.module.css';

const arches = [{ radius: 272, dotted: true }, { radius: 336 }, { radius: 400 }, { radius: 464 }];

/**
 * 400, 404, 429 and 500. Asks the server nothing, since it may be the server that failed; but what became of an app's request
 * that has ended.
 */
export function ErrorPage({ kind }: { kind: ErrorKind }) {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const returnUrl = kind === 'badRequest' ? returnUrlOf(query.toString()) : null;
  const namesApp = returnUrl !== null && new URLSearchParams(returnUrl.split('?', 2)[1]).has('client_id');
  const navigate = useNavigate();
  const [draft] = useState(() => (kind === 'server' ? pageOfDraft() : undefined));
  return (
    <div className={styles.page}>
      <main className={styles.column}>
        <BackgroundArt arches={arches} className={styles.arches} />
        <ProductMark size={44} />
        <p className={styles.code}>{t(`errorPages.${kind}.code`)}</p>
        <PageTitle className={styles.title}>{t(`errorPages.${kind}.title`)}</PageTitle>
        <p className={styles.text}>{t(`errorPages.${kind}.text`)}</p>
        {namesApp && <Ended returnUrl={returnUrl} />}
        {draft && (
          <div className={styles.ways}>
            <Button type="primary" onClick={() => navigate(draft)}>
              {t('errorPages.draft')}
            </Button>
            <Button href={portalPath('/')}>{t('errorPages.home')}</Button>
          </div>
        )}
        {!namesApp && !draft && <Home />}
      </main>
      <footer className={styles.footer}>{t('product.footer', { version: __APP_VERSION__ })}</footer>
    </div>
  );
}

function Home() {
  const { t } = useTranslation();
  return (
    <Button type="primary" href={portalPath('/')}>
      {t('errorPages.home')}
    </Button>
  );
}

/** The end of the request, and a way back to the app. */
function Ended({ returnUrl }: { returnUrl: string }) {
  const { t } = useTranslation();
  const { data, isLoading } = useEndedAuthorizationQuery({ returnUrl });
  if (isLoading) return null;
  if (!data) return <Home />;
  const client = isolateName(data.clientName);
  const forward = data.goesOnAt ?? data.startUrl;
  return (
    <>
      <p className={styles.text}>{t('errorPages.ended', { client })}</p>
      <div className={styles.ways}>
        {forward && (
          <Button type="primary" href={forward}>
            {t(data.goesOnAt ? 'errorPages.goOn' : 'errorPages.startAgain', { client })}
          </Button>
        )}
        <Button type={forward ? 'default' : 'primary'} href={portalPath('/user/grants')}>
          {t('errorPages.apps')}
        </Button>
      </div>
    </>
  );
}
