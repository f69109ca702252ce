import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { portalPath } from '../../shared/base-path.js';
import { Arches } from '../../shared/ui/arches.js';
import { ProductMark } from '../../shared/ui/brand-mark.js';
import { PageTitle } from '../../shared/ui/page-title.js';
import styles from './error-page.module.css';

const arches = [{ radius: 272, dotted: true }, { radius: 336 }, { radius: 400 }, { radius: 464 }];

export type ErrorKind = 'badRequest' | 'notFound' | 'throttled' | 'server';

/** 400, 404, 429 and 500. Asks the server nothing, since it may be the server that failed. */
export function ErrorPage({ kind }: { kind: ErrorKind }) {
  const { t } = useTranslation();
  return (
    <div className={styles.page}>
      <main className={styles.column}>
        <Arches arches={arches} className={styles.arches} />
        <ProductMark size={44} />
        <p className={styles.code}>{t(`errorPages.${kind}.code`)}</p>
        <PageTitle className={styles.title}>{t(`errorPages.${kind}.title`)}</PageTitle>
        <p className={styles.text}>{t(`errorPages.${kind}.text`)}</p>
        <Button type="primary" href={portalPath('/')}>
          {t('errorPages.home')}
        </Button>
      </main>
      <footer className={styles.footer}>{t('product.footer', { version: __APP_VERSION__ })}</footer>
    </div>
  );
}
