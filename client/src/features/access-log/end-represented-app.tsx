import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { RepresentedApp } from '../../../../src/contract/own-record/represented-apps.js';
import { failureText, isGone } from '../../api/failures/form-errors.js';
import { useEndRepresentedAppMutation } from '../../api/own-record/family.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';

/** The question before the patient ends an app that another user has let in. */
export function EndRepresentedApp({ app, open, onClose }: { app: RepresentedApp; open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const [send, { isLoading, error, reset }] = useEndRepresentedAppMutation();
  const { relationship, clientId, clientName, fullName } = app;
  const values = { app: isolateName(clientName), name: isolateName(fullName) };
  const close = () => {
    reset();
    onClose();
  };
  const end = async () => {
    const { error: failure } = await send({ relationship, clientId });
    if (failure && !isGone(failure)) return;
    onClose();
    notify('success', t('accessLog.appEnded', values));
  };
  return (
    <Dialog
      open={open}
      title={t('accessLog.endAppTitle', values)}
      width={480}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={end}>
            {t('accessLog.endAppAct')}
          </Button>
        </>
      }
    >
      <p>{t('accessLog.endAppText', values)}</p>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </Dialog>
  );
}
