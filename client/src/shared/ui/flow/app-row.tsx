import { useTranslation } from 'react-i18next';
import type { FlowApp } from '../../../../../src/contract/authorization.js';
import { isolateName } from '../../i18n/isolate-name.js';
import { Monogram } from '../marks/monogram.js';
import styles from './app-row.module.css';
import './words/en.js';

/** The app whose request continues after this page, and the host to which the browser returns. */
export default function AppRow({ app }: { app: FlowApp | null | undefined }) {
  const { t } = useTranslation();
  if (!app) return null;
  const { clientName, returnHost } = app;
  return (
    <>
      <Monogram name={clientName} size={44} />
      <p className={styles.names}>
        <span className={styles.name}>{t('way.goOn', { client: isolateName(clientName) })}</span>
        <span className={styles.host}>
          <bdi dir="ltr">{returnHost}</bdi>
        </span>
      </p>
    </>
  );
}
