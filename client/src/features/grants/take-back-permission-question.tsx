import './words/en.js';
import { Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import { failureText, isGone } from '../../api/failures/form-errors.js';
import { appOf, useTakeBackPermissionMutation } from '../../api/own-record/grants.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import radioStyles from '../../shared/ui/forms/radio.module.css';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { appName } from './app-card.js';
import styles from './grants-page.module.css';
import type { PermissionRow } from './permission-rows.js';

export interface TakeBackPermissionProps {
  grant: ClientGrant;
  row: PermissionRow;
  open: boolean;
  onClose: () => void;
  afterClose: () => void;
  /** Called when the app has no access any more. */
  onGone: () => void;
}

/** The question before one permission is taken back. A failure is shown here, where the answer can be repeated. */
export function TakeBackPermissionQuestion({ grant, row, open, onClose, afterClose, onGone }: TakeBackPermissionProps) {
  const { t } = useTranslation();
  const name = useId();
  const [onlyChange, setOnlyChange] = useState(false);
  const [takeBack, { isLoading, error, reset }] = useTakeBackPermissionMutation();
  const client = isolateName(appName(grant));
  const { worksUntil } = grant;
  const close = () => {
    reset();
    setOnlyChange(false);
    onClose();
  };
  const confirm = async () => {
    const scope = (onlyChange && row.taken?.change) || row.taken?.all || '';
    const { error: failure } = await takeBack({ ...appOf(grant), scope });
    if (failure && !isGone(failure)) return;
    close();
    if (failure) return onGone();
    notify('success', t('grants.permissionTakenBack', { what: row.title, client }));
  };
  return (
    <Dialog
      open={open}
      title={t('receipts.permissionQuestion', { what: row.title, client })}
      width={480}
      onClose={close}
      afterClose={afterClose}
      actions={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={confirm}>
            {t('grants.takeBack')}
          </Button>
        </>
      }
    >
      {row.taken?.change && (
        <div role="radiogroup" aria-label={t('receipts.permissionParts')} className={styles.parts}>
          {[false, true].map((part) => (
            <label key={String(part)}>
              <input
                type="radio"
                name={name}
                className={radioStyles.radio}
                checked={onlyChange === part}
                onChange={() => setOnlyChange(part)}
              />
              {t(part ? 'receipts.permissionChange' : 'receipts.permissionAll')}
            </label>
          ))}
        </div>
      )}
      <p>
        {worksUntil ? t('receipts.permissionUntil', { until: longMoment(worksUntil) }) : t('receipts.permissionText')}
      </p>
      <p className={styles.again}>{t('receipts.permissionAgain', { client })}</p>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </Dialog>
  );
}
