import './words/en.js';
import { LeftOutlined } from '@ant-design/icons';
import { Button, Form, Input, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { InvitationList, InvitationWithCode } from '../../../../src/contract/invitations.js';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import { emailProblem } from '../../../../src/contract/rules/users/email.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { hasPageOfItsOwn, isRefusedFor } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useInvitationsQuery, useInviteMutation } from '../../api/own-record/family.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { dayText } from './day.js';
import styles from './family.module.css';
import { InvitationCode } from './invitation-code.js';
import { InvitationTerms } from './invitation-terms.js';
import { lastDay, lengths } from './periods.js';
import { ProofFields } from './proof-fields.js';

interface Fields {
  fullName: string;
  email: string;
  relation: string;
  level: string;
  months: number;
  currentPassword?: string;
}

const names = ['fullName', 'email', 'relation', 'level', 'currentPassword'] as const;

/** A patient invites an adult to act for them, and gets the code to tell. */
export function InvitePage() {
  const { t } = useTranslation();
  const { data, isError, isFetching, refetch } = useInvitationsQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data: user } = useSessionQuery();
  const { mailWaits } = useSettings();
  const [sent, setSent] = useState<InvitationWithCode | null>(null);
  if (sent) return <Sent invitation={sent} />;
  return (
    <div className={styles.narrow}>
      <Link to="/user/family" className={styles.back}>
        <LeftOutlined aria-hidden /> {t('family.back')}
      </Link>
      <PageTitle>{t('family.invite')}</PageTitle>
      <p className={styles.lead}>{t('family.inviteLead')}</p>
      {mailWaits && <Banner tone="warning">{t('family.inviteWaits')}</Banner>}
      {data && user ? (
        <InviteForm choices={data} user={user} onSent={setSent} />
      ) : (
        isError && !isFetching && <LoadFailed onRetry={refetch} />
      )}
    </div>
  );
}

function InviteForm({
  choices: { bases, levels },
  user,
  onSent,
}: {
  choices: InvitationList;
  user: CurrentUser;
  onSent: (invitation: InvitationWithCode) => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const [invite, { isLoading }] = useInviteMutation();
  const [confirming, setConfirming] = useState(false);
  const months = Form.useWatch('months', form) ?? 12;
  const end = lastDay(months);
  useOpenForm({
    name: 'invite',
    isChanged: () => Boolean(form.getFieldValue('fullName') || form.getFieldValue('email')),
  });
  const relations = bases.flatMap((basis) =>
    basis.relations.map(({ id, label }) => ({ value: `${basis.id} ${id}`, label })),
  );

  const submit = async ({ relation: chosen, currentPassword, ...fields }: Fields) => {
    refusal.clear();
    const [basis = '', relation = ''] = chosen.split(' ');
    const { fullName, email, level } = fields;
    const body = { fullName, email: email.trim(), level, basis, relation, ...(end && { end }) };
    const { data, error } = await invite({ ...body, ...(currentPassword && { currentPassword }) });
    if (data) return onSent(data);
    if (hasPageOfItsOwn(error)) return;
    const { first, fields: refused } = refusal.show(error, names);
    if (refused.currentPassword || isRefusedFor(error, 'confirm-at-provider')) setConfirming(true);
    if (first) form.scrollToField(first, { focus: true });
  };
  const checkEmail = async (_: unknown, value = '') => {
    const problem = emailProblem(value);
    if (problem) throw new Error(translateMessage(problem));
  };
  const required = [{ required: true, whitespace: true, message: translateMessage(fieldRequired) }];

  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      noValidate
      initialValues={{ relation: relations[0]?.value, level: levels.at(-1)?.id, months: 12 }}
    >
      <Form.Item name="fullName" label={t('family.theirName')} rules={required}>
        <Input maxLength={200} autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="email"
        label={t('family.theirEmail')}
        validateTrigger="onBlur"
        rules={[{ validator: checkEmail }]}
      >
        <Input type="email" autoComplete="off" />
      </Form.Item>
      <Form.Item name="relation" label={t('family.theirRelation')} rules={required}>
        <select className={styles.select}>
          {relations.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Form.Item>
      <Form.Item name="level" label={t('family.level')} rules={required}>
        <Radio.Group className={styles.levels ?? ''} options={levels.map(({ id, label }) => ({ value: id, label }))} />
      </Form.Item>
      <Form.Item
        name="months"
        label={t('family.howLong')}
        extra={end ? t('family.endsByItself', { date: dayText(end) }) : t('family.askedYearly')}
      >
        <Radio.Group
          optionType="button"
          className={styles.lengths ?? ''}
          options={lengths.map(({ months: value, text }) => ({ value, label: t(text) }))}
        />
      </Form.Item>
      <ProofFields user={user} isNeeded={confirming} />
      <ErrorList errors={refusal.errors} />
      <div className={styles.actions}>
        <Button onClick={() => navigate('/user/family')}>{t('common.cancel')}</Button>
        <Button type="primary" htmlType="submit" loading={isLoading}>
          {t('family.send')}
        </Button>
      </div>
    </Form>
  );
}

function Sent({ invitation }: { invitation: InvitationWithCode }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { fullName, email } = invitation;
  return (
    <div className={styles.narrow}>
      <PageTitle>{t('family.codeTitle', { name: isolateName(fullName) })}</PageTitle>
      <p className={styles.lead}>{t('family.codeLead', { email })}</p>
      <InvitationCode invitation={invitation} />
      <dl className={styles.sentFacts}>
        <InvitationTerms invitation={invitation} />
      </dl>
      <Button type="primary" block onClick={() => navigate('/user/family')}>
        {t('family.done')}
      </Button>
    </div>
  );
}
