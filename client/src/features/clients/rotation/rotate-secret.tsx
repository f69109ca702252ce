import { SyncOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientView } from '../../../../../src/contract/clients/clients.js';
import { useSecretRotationQuery } from '../../../api/clients/secret-rotation.js';
import { usePageQuery } from '../../../shared/addresses/page-query.js';
import { lazyOverlay } from '../../../shared/loading/lazy-overlay.js';
import { Banner } from '../../../shared/ui/layout/banner.js';
import type { RotateDialogProps } from './rotate-dialog.js';
import styles from './rotate-secret.module.css';
import './words/en.js';

const RotateDialog = lazyOverlay<RotateDialogProps>(async () => (await import('./rotate-dialog.js')).RotateDialog, {
  seldom: true,
});

/** Begins the rotation of a shared secret, or continues with it. */
export function RotateSecret({ client }: { client: ClientView }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const hasShared = client.clientSecrets.some(({ secretType }) => secretType === 'SharedSecret');
  const { data } = useSecretRotationQuery(client.id, { skip: !hasShared });
  // A link to it opens it once. The address then names the client only.
  const { query, change } = usePageQuery();
  const isWanted = data !== undefined && query.has('rotate');
  useEffect(() => {
    if (!isWanted) return;
    setOpen(true);
    change(
      (before) => {
        const others = new URLSearchParams(before);
        others.delete('rotate');
        return others;
      },
      { replace: true },
    );
  });
  if (!hasShared) return client.clientSecrets.length > 0 && <p className={styles.note}>{t('secretRotation.keys')}</p>;
  const rotation = data?.rotation;
  const nameOf = ({ description }: { description: string | null }) => description ?? t('secretRotation.unnamed');
  return (
    <div className={styles.rotate}>
      {rotation ? (
        <Banner act={<Button onClick={() => setOpen(true)}>{t('secretRotation.goOn')}</Button>}>
          <strong>{t('secretRotation.underWay')}</strong>
          <br />
          {t('secretRotation.underWayText', { old: nameOf(rotation.oldSecret), new: nameOf(rotation.newSecret) })}
        </Banner>
      ) : (
        <Button icon={<SyncOutlined aria-hidden />} onClick={() => setOpen(true)}>
          {t('secretRotation.open')}
        </Button>
      )}
      <RotateDialog client={client} open={open} onClose={() => setOpen(false)} />
    </div>
  );
}
