import { SafetyCertificateOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { GrantDisclaimer } from '../../../../src/contract/own-record/grants.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { ShowButton } from '../../shared/ui/text/show-button.js';
import styles from './grants-page.module.css';

/** With the library that makes a deployer's text safe, which nothing else of the page needs. */
const TextDialog = lazyOverlay(async () => (await import('../../shared/ui/overlays/text-dialog.js')).TextDialog);

/** Disclaimers that were agreed to, to be read again, and the button that takes all of them back. */
export function AgreedDisclaimers({
  disclaimers,
  question,
  busy,
  onRevoke,
}: {
  disclaimers: GrantDisclaimer[];
  /** Asked before they are taken back. */
  question: string;
  busy: boolean;
  /** Returns the errors. */
  onRevoke: () => Promise<string[]>;
}) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const [shown, setShown] = useState<{ disclaimer: GrantDisclaimer; open: boolean } | null>(null);
  const close = () => setShown((last) => last && { ...last, open: false });
  const [errors, setErrors] = useState<string[]>([]);
  const ask = () => {
    setErrors([]);
    setAsking(true);
  };
  const revoke = async () => {
    setErrors([]);
    const failed = await onRevoke();
    setErrors(failed);
    setAsking(failed.length > 0);
  };
  return (
    <div className={cardStyles.card}>
      <ul>
        {disclaimers.map((disclaimer) => {
          const { tenantId, disclaimerId, disclaimerDetails } = disclaimer;
          const { description } = disclaimerDetails;
          return (
            <li key={`${tenantId} ${disclaimerId}`} className={styles.disclaimer}>
              <SafetyCertificateOutlined aria-hidden />
              <span className={styles.permission}>{description}</span>
              <ShowButton what={description} onClick={() => setShown({ disclaimer, open: true })} />
            </li>
          );
        })}
      </ul>
      <Button type="text" danger block className={styles.revoke} onClick={ask}>
        {t('grants.revokeDisclaimers')}
      </Button>
      <Dialog
        open={asking}
        title={question}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
            <Button type="primary" danger loading={busy} onClick={revoke}>
              {t('grants.revokeDisclaimers')}
            </Button>
          </>
        }
      >
        <p>{t('grants.revokeDisclaimersText')}</p>
        <ErrorList errors={errors} />
      </Dialog>
      <TextDialog
        open={shown?.open ?? false}
        title={shown?.disclaimer.disclaimerDetails.description ?? ''}
        html={shown?.disclaimer.disclaimerDetails.disclaimerHtml ?? ''}
        onClose={close}
        actions={
          <Button type="primary" onClick={close}>
            {t('common.close')}
          </Button>
        }
      />
    </div>
  );
}
