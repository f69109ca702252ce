import { Button, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { failureText, isGone } from '../../../api/failures/form-errors.js';
import { useRenewRelationshipMutation } from '../../../api/own-record/family.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { dayText } from '../day.js';
import styles from '../family.module.css';
import { lastDay, lengths } from '../periods.js';

/** The patient gives a helper a later last day. The new period begins after the present one. */
export function RenewDialog({
  relationship,
  open,
  onClose,
}: {
  relationship: OwnRelationship;
  open: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [months, setMonths] = useState(12);
  const [send, { isLoading, error, reset }] = useRenewRelationshipMutation();
  const end = lastDay(months, new Date(`${relationship.end}T12:00:00`));
  const close = () => {
    reset();
    onClose();
  };
  const renew = async () => {
    const { error: failure } = await send({ id: relationship.id, ...(end && { end }) });
    if (failure && !isGone(failure)) return;
    onClose();
    notify('success', t('family.answered'));
  };
  return (
    <Dialog
      open={open}
      title={t('family.renewTitle', { name: isolateName(relationship.name) })}
      width={480}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button type="primary" loading={isLoading} onClick={renew}>
            {t('family.renew')}
          </Button>
        </>
      }
    >
      <div className={styles.renewal}>
        <Radio.Group
          optionType="button"
          className={styles.lengths ?? ''}
          aria-label={t('family.howLong')}
          value={months}
          onChange={({ target }) => setMonths(Number(target.value))}
          options={lengths.map(({ months: value, text }) => ({ value, label: t(text) }))}
        />
        <p>{end ? t('family.endsByItself', { date: dayText(end) }) : t('family.askedYearly')}</p>
      </div>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </Dialog>
  );
}
