import './words/en.js';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import { failureText, isGone } from '../../api/failures/form-errors.js';
import { appOf, useRevokeAppMutation } from '../../api/own-record/grants.js';
import { dayAndTime, longMoment } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { appName } from './app-card.js';
import styles from './grants-page.module.css';
import { readText } from './read-text.js';

export interface TakeBackProps {
  grant: ClientGrant;
  open: boolean;
  onClose: () => void;
  /** Called when the app had no access. */
  onGone: () => void;
}

/** The question before an app's access is taken back. A failure is shown here, where the answer can be repeated. */
export function TakeBackQuestion({ grant, open, onClose, onGone }: TakeBackProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [revoke, { isLoading, error, reset }] = useRevokeAppMutation();
  const client = isolateName(appName(grant));
  const { legalCompanyName, worksUntil, lastRead, lastReadKinds: kinds, lastReadUnattended: unattended } = grant;
  const endText = grant.patient
    ? t('receipts.questionTextFor', { patient: isolateName(grant.patient.name) })
    : t('receipts.questionText');
  const close = () => {
    reset();
    onClose();
  };
  const takeBack = async () => {
    const { data: receiptId, error: failure } = await revoke(appOf(grant));
    if (failure && !isGone(failure)) return;
    onClose();
    if (failure) return onGone();
    notify('success', t('grants.revoked'));
    navigate(receiptId ? `/user/receipts/${receiptId}` : '/user/grants');
  };
  return (
    <Dialog
      open={open}
      title={t('receipts.question', { client })}
      width={480}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={takeBack}>
            {t('grants.takeBack')}
          </Button>
        </>
      }
    >
      <p>
        {worksUntil ? t('receipts.questionUntil', { until: longMoment(worksUntil) }) : endText}{' '}
        {legalCompanyName
          ? t('receipts.kept', { company: isolateName(legalCompanyName) })
          : t('receipts.keptByProvider')}
      </p>
      {lastRead && (
        <p className={styles.again}>
          {t('receipts.readLast', { at: dayAndTime(lastRead), what: readText({ kinds, unattended }) })}
        </p>
      )}
      <p className={styles.again}>{t('receipts.useAgain', { client })}</p>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </Dialog>
  );
}
