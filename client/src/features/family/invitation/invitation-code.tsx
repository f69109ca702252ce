import { CopyOutlined } from '@ant-design/icons';
import { Button, Form } from 'antd';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { InvitationWithCode } from '../../../../../src/contract/invitations.js';
import type { CurrentUser } from '../../../../../src/contract/session.js';
import { useNewCodeMutation } from '../../../api/own-record/family.js';
import { copy } from '../../../shared/copy.js';
import { longDate } from '../../../shared/i18n/dates.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import styles from '../family.module.css';
import { ProofFields } from '../proof-fields.js';
import { useProvenRefusal } from '../use-proven-refusal.js';

interface Fields {
  currentPassword?: string;
}

/**
 * Six digits in two groups, which screen readers say one by one. The user can replace them by new ones, and is asked
 * for a proof where the last one was too long ago.
 */
export function InvitationCode({ invitation, user }: { invitation: InvitationWithCode; user: CurrentUser }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const { refusal, isProving } = useProvenRefusal(form);
  const [renewed, setRenewed] = useState<InvitationWithCode | null>(null);
  const [renew, { isLoading }] = useNewCodeMutation();
  const { spokenCode: code, expiresAt, triesLeft } = renewed ?? invitation;
  const submit = async ({ currentPassword }: Fields) => {
    refusal.clear();
    const { data, error } = await renew({ id: invitation.id, ...(currentPassword && { currentPassword }) });
    if (data) return setRenewed(data);
    refusal.show(error, ['currentPassword']);
  };
  return (
    <div className={styles.code}>
      <p>{t('family.code')}</p>
      <p className={styles.digits}>
        <span aria-hidden="true">
          {code.slice(0, 3)} {code.slice(3)}
        </span>
        <span className="visually-hidden">{[...code].join(' ')}</span>
      </p>
      <p>{t('family.codeUntil', { date: longDate(expiresAt).date, count: triesLeft })}</p>
      <p role="status">{renewed ? t('family.newCodeMade') : ''}</p>
      <Form<Fields> form={form} layout="vertical" requiredMark={false} onFinish={submit} noValidate>
        <ProofFields user={user} isNeeded={isProving && !renewed} />
        <ErrorList errors={refusal.errors} />
        <Button type="link" htmlType="submit" loading={isLoading}>
          {t('family.newCode')}
        </Button>
      </Form>
      {invitation.link !== undefined && <HandedLink link={invitation.link} />}
    </div>
  );
}

/** Where no mail server is configured, the user hands over the link, too. */
function HandedLink({ link }: { link: string }) {
  const { t } = useTranslation();
  const label = useId();
  return (
    <div className={styles.handOver}>
      <p id={label}>{t('family.handOver')}</p>
      <output className={styles.link} aria-labelledby={label}>
        {link}
      </output>
      <Button icon={<CopyOutlined aria-hidden />} onClick={() => copy(link)}>
        {t('family.copyLink')}
      </Button>
    </div>
  );
}
