import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { InvitationView, InvitationWithCode } from '../../../../src/contract/invitations.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { isRefusedFor } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useNewCodeMutation, useShowCodeMutation } from '../../api/own-record/family.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { InvitationCode } from './invitation-code.js';
import { ProofFields } from './proof-fields.js';

interface Fields {
  currentPassword?: string;
}

/** Shows the code of an invitation after the user has confirmed who they are, and makes a new one. */
export function ShownCode({
  invitation,
  user,
  open,
  onClose,
}: {
  invitation: InvitationView;
  user: CurrentUser;
  open: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const [shown, setShown] = useState<InvitationWithCode | null>(null);
  // A user of another provider may have signed in there a moment ago, which nothing but the portal knows.
  const [proving, setProving] = useState(!user.isExternal);
  const [isNew, setIsNew] = useState(false);
  const [show, showing] = useShowCodeMutation();
  const [renew, renewing] = useNewCodeMutation();

  const submit = async ({ currentPassword }: Fields) => {
    refusal.clear();
    const { data, error } = await show({ id: invitation.id, ...(currentPassword && { currentPassword }) });
    if (data) return setShown(data);
    setProving(!user.isExternal || isRefusedFor(error, 'confirm-at-provider'));
    refusal.show(error, ['currentPassword']);
  };
  const makeNew = async () => {
    refusal.clear();
    const { data, error } = await renew({ id: invitation.id });
    if (error) return void refusal.show(error, []);
    setShown(data ?? null);
    setIsNew(true);
  };

  return (
    <Dialog open={open} title={shown ? t('family.code') : t('family.confirmTitle')} width={480} onClose={onClose}>
      {shown ? (
        <>
          <InvitationCode invitation={shown} />
          <p role="status">{isNew ? t('family.newCodeMade') : ''}</p>
          <ErrorList errors={refusal.errors} />
          <Button block loading={renewing.isLoading} onClick={makeNew}>
            {t('family.newCode')}
          </Button>
        </>
      ) : (
        <Form<Fields> form={form} layout="vertical" requiredMark={false} onFinish={submit} noValidate>
          <ProofFields user={user} isNeeded={proving} />
          <ErrorList errors={refusal.errors} />
          <Button type="primary" htmlType="submit" block loading={showing.isLoading}>
            {t('family.showCode')}
          </Button>
        </Form>
      )}
    </Dialog>
  );
}
