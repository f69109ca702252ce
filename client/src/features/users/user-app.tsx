import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { UserActivity } from '../../../../src/contract/users/users.js';
import { failureText, isGone } from '../../api/failures/form-errors.js';
import { useSettings } from '../../api/settings.js';
import { useTakeBackAccessMutation } from '../../api/users/users.js';
import { longDate } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import styles from './users-page.module.css';
import '../../shared/launches/words/en.js';

/** An app that the user lets in, and the button that ends its access. */
export function UserApp({
  user,
  app: { clientId, clientName, lastUsed, pausedAt },
  onChange,
}: {
  user: { id: string; fullName: string };
  app: UserActivity['apps'][number];
  /** Called when the app has no access any more. */
  onChange: () => void;
}) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const [asking, setAsking] = useState(false);
  const [takeBack, { isLoading, error, reset }] = useTakeBackAccessMutation();
  const client = isolateName(clientName);
  const close = () => {
    reset();
    setAsking(false);
  };
  const confirm = async () => {
    const { error: failure } = await takeBack({ id: user.id, clientId });
    if (failure && !isGone(failure)) return;
    close();
    if (!failure) notify('success', t('users.takenBack'));
    onChange();
  };
  return (
    <div className={styles.app}>
      <div>
        <Link className="target" to={`/admin/audit?${new URLSearchParams({ accountId: user.id, clientId })}`}>
          <bdi>{clientName}</bdi>
          <span className="visually-hidden"> ({t('activity.auditEvents')})</span>
        </Link>
        {pausedAt && <div className={styles.note}>{t('users.appPaused', { date: longDate(pausedAt).date })}</div>}
        {lastUsed && <div className={styles.note}>{t('users.appUsed', { date: longDate(lastUsed).date })}</div>}
      </div>
      <Button
        danger
        type="text"
        size="small"
        aria-label={t('users.takeBackOf', { client })}
        onClick={() => setAsking(true)}
      >
        {t('users.takeBack')}
      </Button>
      <Dialog
        open={asking}
        title={t('users.takeBackTitle', { client })}
        onClose={close}
        actions={
          <>
            <Button onClick={close}>{t('common.cancel')}</Button>
            <Button type="primary" danger loading={isLoading} onClick={confirm}>
              {t('users.takeBack')}
            </Button>
          </>
        }
      >
        <p>{t(mailWaits ? 'users.takeBackTextByHand' : 'users.takeBackText', { name: isolateName(user.fullName) })}</p>
        <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
      </Dialog>
    </div>
  );
}
