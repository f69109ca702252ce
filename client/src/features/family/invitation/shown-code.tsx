import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { InvitationView, InvitationWithCode } from '../../../../../src/contract/invitations.js';
import type { CurrentUser } from '../../../../../src/contract/session.js';
import { useShowCodeMutation } from '../../../api/own-record/family.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { ProofFields } from '../proof-fields.js';
import { useProvenRefusal } from '../use-proven-refusal.js';
import { InvitationCode } from './invitation-code.js';

interface Fields {
  currentPassword?: string;
}

/** Shows the code of an invitation after the user has confirmed who they are. */
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
  // A user of another provider may have signed in there a moment ago, which nothing but the portal knows.
  const { refusal, isProving } = useProvenRefusal(form, !user.isExternal);
  const [shown, setShown] = useState<InvitationWithCode | null>(null);
  const [show, showing] = useShowCodeMutation();

  const submit = async ({ currentPassword }: Fields) => {
    refusal.clear();
    const { data, error } = await show({ id: invitation.id, ...(currentPassword && { currentPassword }) });
    if (data) return setShown(data);
    refusal.show(error, ['currentPassword']);
  };

  return (
    <Dialog open={open} title={shown ? t('family.code') : t('family.confirmTitle')} width={480} onClose={onClose}>
      {shown ? (
        <InvitationCode invitation={shown} user={user} />
      ) : (
        <Form<Fields> form={form} layout="vertical" requiredMark={false} onFinish={submit} noValidate>
          <ProofFields user={user} isNeeded={isProving} />
          <ErrorList errors={refusal.errors} />
          <Button type="primary" htmlType="submit" block loading={showing.isLoading}>
            {t('family.showCode')}
          </Button>
        </Form>
      )}
    </Dialog>
  );
}
