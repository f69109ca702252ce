import '../../shared/fonts/jetbrains-mono.css';
import { CopyOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserView } from '../../../../src/contract/users/users.js';
import { failureText, formErrors, hasPageOfItsOwn, isGone } from '../../api/failures/form-errors.js';
import { useCopyInvitationMutation } from '../../api/users/users.js';
import { copy } from '../../shared/copy.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import styles from './user-help.module.css';

export interface InvitationLinkProps {
  user: UserView;
  open: boolean;
  onClose: () => void;
  onGone: () => void;
  afterClose: () => void;
}

/** Creates the link of an invitation, which an administrator hands over; it is shown until the dialog is closed. */
export function InvitationLinkDialog({ user, open, onClose, onGone, afterClose }: InvitationLinkProps) {
  const { t } = useTranslation();
  const [create, { data, isLoading, reset }] = useCopyInvitationMutation();
  const [errors, setErrors] = useState<string[]>([]);
  const label = useId();
  const name = isolateName(user.fullName);
  const submit = async () => {
    setErrors([]);
    const { error } = await create(user.id);
    if (!error) return;
    if (isGone(error)) return onGone();
    if (!hasPageOfItsOwn(error)) setErrors(failureText(error, formErrors(error).form[0]));
  };
  return (
    <Dialog
      open={open}
      title={t('helpdesk.linkTitle', { name })}
      width={520}
      onClose={onClose}
      afterClose={() => {
        setErrors([]);
        reset();
        afterClose();
      }}
      actions={
        data ? (
          <Button type="primary" onClick={onClose}>
            {t('common.close')}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="primary" loading={isLoading} onClick={submit}>
              {t('helpdesk.linkCreate')}
            </Button>
          </>
        )
      }
    >
      {data ? (
        <div className={styles.handOver}>
          <p id={label}>{t('helpdesk.linkReady', { name, until: longMoment(data.expires) })}</p>
          <output className={styles.link} aria-labelledby={label}>
            {data.link}
          </output>
          <Button icon={<CopyOutlined aria-hidden />} onClick={() => copy(data.link)}>
            {t('helpdesk.linkCopy')}
          </Button>
          <Banner>{t('helpdesk.linkOnce')}</Banner>
        </div>
      ) : (
        <ul className={styles.consequences}>
          <li>{t('helpdesk.linkWhy')}</li>
          <li>{t('helpdesk.linkSafely', { name })}</li>
          <li>{t('helpdesk.linkEnds')}</li>
          <li>{t('helpdesk.linkRecorded')}</li>
        </ul>
      )}
      <ErrorList errors={errors} />
    </Dialog>
  );
}
