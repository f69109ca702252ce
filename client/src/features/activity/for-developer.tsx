import { CheckOutlined, CopyOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copyQuietly } from '../../shared/copy.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './launch-page.module.css';

const copiedMs = 2000;

/** Text to send to the app's developer. */
export function ForDeveloper({ text }: { text: string }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <section className={cardStyles.card} aria-labelledby="for-developer">
      <div className={`${styles.cardHead} ${styles.developerHead}`}>
        <div>
          <h2 id="for-developer">{t('activity.developer')}</h2>
          <p className={styles.caption}>{t('activity.developerHelp')}</p>
        </div>
        <Button
          icon={copied ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
          onClick={async () => setCopied(await copyQuietly(text))}
        >
          {t(copied ? 'activity.copied' : 'activity.copy')}
        </Button>
        <span className="visually-hidden" role="status">
          {copied && t('activity.copied')}
        </span>
      </div>
      <p className={styles.developerText}>{text}</p>
    </section>
  );
}
