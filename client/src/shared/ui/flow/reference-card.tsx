import { CopyOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { keptReference } from '../../browser/last-reference.js';
import { copy } from '../../copy.js';
import './words/en.js';
import styles from './reference-card.module.css';

/** A request waits for the user no longer than this. */
const longestMs = 15 * 60_000;

interface Props {
  /** The request that the page is about; null for one that is not known, 'last' for the last one in this tab. */
  returnUrl: string | null;
}

/** The reference of an app's launch, to be read out to a help desk. Nothing can be opened with it. */
export default function ReferenceCard({ returnUrl }: Props) {
  const { t } = useTranslation();
  const reference = referenceOf(returnUrl);
  if (!reference) return null;
  return (
    <section className={styles.card} aria-label={t('launchError.reference')}>
      <p className={styles.label}>{t('launchError.reference')}</p>
      <p className={styles.reference} dir="ltr">
        {reference}
      </p>
      <Button
        type="text"
        className={styles.copy ?? ''}
        icon={<CopyOutlined aria-hidden />}
        onClick={() => copy(reference)}
      >
        {t('launchError.copy')}
      </Button>
    </section>
  );
}

/** The reference of the request, or the one in the document that the server answered with. */
function referenceOf(returnUrl: string | null): string | undefined {
  const [reference, kept, at = 0] = keptReference();
  const request = requestOf(String(kept));
  const isMeant =
    returnUrl === 'last' ? Date.now() - at < longestMs : request !== null && request === requestOf(returnUrl);
  return isMeant ? reference : document.querySelector<HTMLMetaElement>('meta[name="gatehouse-reference"]')?.content;
}

function requestOf(returnUrl: string | null): string | null {
  return new URLSearchParams(returnUrl?.split('?')[1]).get('ix');
}
