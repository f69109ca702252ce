import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { formErrors, hasPageOfItsOwn, isGone, notifyFailure } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useDeletionFactsQuery, useRequestDownloadMutation } from '../../api/own-record/own-data.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import styles from './account-settings.module.css';
import { ConfirmAtProvider } from './confirm-at-provider.js';
import { Row } from './row.js';

interface Fields {
  currentPassword: string;
}

/** Downloads everything kept about the user; after a while, the user confirms first. */
export function DownloadRow({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  const [confirming, setConfirming] = useState(false);
  const [request, { isLoading }] = useRequestDownloadMutation();

  const download = async () => {
    const { data, error } = await request({});
    if (data) return save(data.address);
    if (isGone(error)) return onGone();
    const { form } = formErrors(error, ['currentPassword', 'signIn']);
    if (form.length === 0) return setConfirming(true);
    notifyFailure(error, form.join(' '));
  };
  const save = (address: string) => {
    setConfirming(false);
    saveFile(address);
    notify('success', t('ownData.downloadBegun'));
  };

  return (
    <>
      <Row
        titled
        label={t('ownData.download')}
        value={t('ownData.downloadHelp')}
        action={
          <Button className={styles.switch} loading={isLoading} onClick={download}>
            {t('ownData.downloadAction')}
          </Button>
        }
      />
      <Dialog open={confirming} title={t('ownData.downloadTitle')} onClose={() => setConfirming(false)}>
        {user.isExternal ? <AtProvider /> : <PasswordForm user={user} onGone={onGone} onPermitted={save} />}
      </Dialog>
    </>
  );
}

function AtProvider() {
  const { data } = useDeletionFactsQuery(undefined, { refetchOnMountOrArgChange: true });
  return data ? <ConfirmAtProvider provider={data.provider} open="" /> : null;
}

function PasswordForm({
  user,
  onGone,
  onPermitted,
}: {
  user: CurrentUser;
  onGone: () => void;
  onPermitted: (address: string) => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const [request, { isLoading }] = useRequestDownloadMutation();
  useOpenForm({ name: 'own-data', isChanged: () => (form.getFieldValue('currentPassword') ?? '') !== '' });

  const submit = async ({ currentPassword }: Fields) => {
    refusal.clear();
    const { data, error } = await request({ currentPassword });
    if (data) return onPermitted(data.address);
    if (isGone(error)) return onGone();
    if (hasPageOfItsOwn(error)) return;
    refusal.show(error, ['currentPassword']);
    form.getFieldInstance('currentPassword')?.focus({ cursor: 'all' });
  };

  return (
    <>
      <p className={styles.lead}>{t('ownData.downloadLead')}</p>
      <Form<Fields> form={form} layout="vertical" requiredMark={false} onFinish={submit} noValidate>
        <CurrentPasswordField user={user} />
        <ErrorList errors={refusal.errors} />
        <Button type="primary" htmlType="submit" block loading={isLoading}>
          {t('ownData.downloadSubmit')}
        </Button>
      </Form>
    </>
  );
}

/** A link with `download` leaves the page as it is, also when the server refuses. */
function saveFile(address: string): void {
  const link = document.createElement('a');
  link.href = portalPath(`/api${address}`);
  link.download = '';
  link.click();
}
