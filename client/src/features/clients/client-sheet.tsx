import { DeleteOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { useClientQuery, useDeleteClientMutation } from '../../api/clients.js';
import { isGone } from '../../api/form-errors.js';
import { notify } from '../../shared/notices.js';
import { Bone } from '../../shared/ui/bones.js';
import { Dialog } from '../../shared/ui/dialog.js';
import { LoadFailed } from '../../shared/ui/load-failed.js';
import { Sheet } from '../../shared/ui/sheet.js';
import { ClientFacts } from './client-facts.js';
import { ClientBadges } from './client-marks.js';
import styles from './clients-page.module.css';
import { ServerBanner } from './server-banner.js';

interface ClientSheetProps {
  id: string;
  /** As far as it is known before the client is. */
  name: string;
  open: boolean;
  status: ServerStatus | undefined;
  onClose: () => void;
  afterClose: () => void;
  onDeleted: () => void;
  /** Somebody else has deleted the client meanwhile (`spec §8`). */
  onGone: (name: string) => void;
}

/** One client: to be looked at, or deleted. */
export function ClientSheet({ id, name, open, status, onClose, afterClose, onDeleted, onGone }: ClientSheetProps) {
  const { t } = useTranslation();
  const { data: client, error, refetch } = useClientQuery(id);
  const [asking, setAsking] = useState(false);
  const [remove, { isLoading: removing }] = useDeleteClientMutation();
  const title = client?.clientName || client?.clientId || name;

  const gone = isGone(error);
  const tellGone = useRef(() => onGone(title));
  tellGone.current = () => onGone(title);
  useEffect(() => {
    if (gone) tellGone.current();
  }, [gone]);

  const deleteClient = async () => {
    const { error: refusal } = await remove(id);
    setAsking(false);
    if (!refusal) {
      notify('success', t('clients.deleted'));
      onDeleted();
    } else if (isGone(refusal)) {
      tellGone.current();
    } else {
      notify('error', t('errors.generic'));
    }
  };

  return (
    <Sheet
      open={open}
      caption={t('clients.info')}
      title={
        <span className={styles.who}>
          <span>{title}</span>
          {client ? <ClientBadges client={client} /> : <Bone width={180} />}
        </span>
      }
      footer={
        client && (
          <>
            <Button
              type="text"
              danger
              className={styles.delete}
              icon={<DeleteOutlined aria-hidden />}
              disabled={!status?.isFirelyServerAvailable}
              onClick={() => setAsking(true)}
            >
              {t('clients.delete')}
            </Button>
            <Button onClick={onClose}>{t('common.close')}</Button>
          </>
        )
      }
      onClose={onClose}
      afterClose={afterClose}
    >
      {client && (
        <>
          <ServerBanner status={status} />
          <ClientFacts client={client} status={status} />
        </>
      )}
      {!client && error && !gone && <LoadFailed onRetry={refetch} />}
      <Dialog
        open={asking}
        title={t('clients.deleteTitle', { name: title })}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
            <Button type="primary" danger loading={removing} onClick={deleteClient}>
              {t('clients.delete')}
            </Button>
          </>
        }
      >
        {t('clients.deleteText')}
      </Dialog>
    </Sheet>
  );
}
