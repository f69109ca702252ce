import { DeleteOutlined, EditOutlined, ExclamationCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientForm } from '../../../../src/contract/clients.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { applyClientType } from '../../../../src/contract/rules/client-fields.js';
import type { ClientType } from '../../../../src/contract/rules/client-values.js';
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
import { draftOf } from './form/client-draft.js';
import { EditClient, editFormId, freely } from './form/edit-client.js';
import { TypeChoice } from './form/type-field.js';
import { TypeReview } from './form/type-review.js';
import { ServerBanner } from './server-banner.js';
import type { ClientSurroundings } from './surroundings.js';

interface ClientSheetProps {
  id: string;
  /** As far as it is known before the client is. */
  name: string;
  open: boolean;
  status: ServerStatus | undefined;
  surroundings: ClientSurroundings | undefined;
  onClose: () => void;
  afterClose: () => void;
  onDeleted: () => void;
  /** Somebody else has deleted the client meanwhile (`spec §8`). */
  onGone: (name: string) => void;
}

/** `spec §4` Client panel modes; choosing a type begins with a review. */
type Mode = { is: 'view' } | { is: 'edit' | 'set-type'; start: ClientForm } | { is: 'review'; type: ClientType | null };

const view: Mode = { is: 'view' };

/** One client: to be looked at, changed, given a type, or deleted. */
export function ClientSheet(props: ClientSheetProps) {
  const { id, name, open, status, surroundings, onClose, afterClose, onDeleted, onGone } = props;
  const { t } = useTranslation();
  const { data: client, error, refetch } = useClientQuery(id);
  const [mode, setMode] = useState(view);
  const [asking, setAsking] = useState(false);
  const [saving, setSaving] = useState(false);
  const [remove, { isLoading: removing }] = useDeleteClientMutation();
  const leaving = useRef(freely);
  const act = useRef<HTMLButtonElement>(null);
  const title = client?.clientName || client?.clientId || name;
  const available = status?.isFirelyServerAvailable ?? false;

  const gone = isGone(error);
  const tellGone = useRef(() => onGone(title));
  tellGone.current = () => leaving.current.finish(() => onGone(title));
  useEffect(() => {
    if (gone) tellGone.current();
  }, [gone]);

  // The button that had the focus has gone with the form.
  const before = useRef(mode.is);
  useEffect(() => {
    if (before.current !== 'view' && mode.is === 'view') act.current?.focus();
    before.current = mode.is;
  }, [mode]);

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

  const isInvalid = client?.clientType === 'Invalid';
  const viewing = client && (
    <>
      <Button
        type="text"
        danger
        className={styles.delete}
        icon={<DeleteOutlined aria-hidden />}
        disabled={!available}
        onClick={() => setAsking(true)}
      >
        {t('clients.delete')}
      </Button>
      <Button onClick={onClose}>{t('common.close')}</Button>
      <Button
        ref={act}
        type="primary"
        icon={<EditOutlined aria-hidden />}
        disabled={!available || !surroundings}
        onClick={() => setMode(isInvalid ? { is: 'review', type: null } : { is: 'edit', start: draftOf(client) })}
      >
        {t(isInvalid ? 'clients.setType' : 'clients.editAction')}
      </Button>
    </>
  );
  const discard = (
    <Button onClick={() => leaving.current.leave(() => setMode(view))}>{t('clients.discardChanges')}</Button>
  );
  const changing = (
    <>
      {discard}
      <Button key="save" type="primary" htmlType="submit" form={editFormId} loading={saving}>
        {t('common.save')}
      </Button>
    </>
  );
  const reviewing = client && mode.is === 'review' && (
    <>
      {discard}
      {/* Were this element to become the next one's, the click that is under way would submit the form. */}
      <Button
        key="accept"
        type="primary"
        disabled={mode.type === null}
        onClick={() => mode.type && setMode({ is: 'set-type', start: applyClientType(draftOf(client), mode.type) })}
      >
        {t('clients.acceptType')}
      </Button>
    </>
  );

  return (
    <Sheet
      open={open}
      caption={t(mode.is === 'view' ? 'clients.info' : mode.is === 'edit' ? 'clients.edit' : 'clients.setClientType')}
      title={
        <span className={styles.who}>
          <span>{title}</span>
          {client ? <ClientBadges client={client} /> : <Bone width={180} />}
        </span>
      }
      footer={mode.is === 'view' ? viewing : mode.is === 'review' ? reviewing : changing}
      onClose={() => leaving.current.leave(onClose)}
      afterClose={afterClose}
    >
      {client && <ServerBanner status={status} />}
      {client && mode.is === 'view' && surroundings && <ClientFacts client={client} surroundings={surroundings} />}
      {client && mode.is === 'review' && (
        <Review form={draftOf(client)} type={mode.type} onChoose={(type) => setMode({ is: 'review', type })} />
      )}
      {client && surroundings && (mode.is === 'edit' || mode.is === 'set-type') && (
        <EditClient
          client={client}
          start={mode.start}
          mode={mode.is}
          surroundings={surroundings}
          leaving={leaving}
          onBusy={setSaving}
          onSaved={() => setMode(view)}
          onGone={() => tellGone.current()}
        />
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

/** A type for a client that has none: what the choice would do, before it does (`spec §2` Set client type). */
function Review({
  form,
  type,
  onChoose,
}: {
  form: ClientForm;
  type: ClientType | null;
  onChoose: (type: ClientType) => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      <p className={`${styles.banner} ${styles.warning}`} role="status">
        <ExclamationCircleFilled aria-hidden />
        <span>
          <strong>{t('clients.typeInvalid')}</strong> {t('clients.typeInvalidText')}
        </span>
      </p>
      <TypeChoice value={type} onChange={onChoose} />
      {type && <TypeReview form={form} type={type} />}
    </>
  );
}
