import './words/en.js';
import { LeftOutlined } from '@ant-design/icons';
import { Button, Form, Input, Radio } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { InvitationList, InvitationWithCode } from '../../../../src/contract/invitations.js';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { hasPageOfItsOwn } from '../../api/failures/form-errors.js';
import { useInvitationsQuery, useInviteMutation } from '../../api/own-record/family.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { useFormDraft } from '../../shared/drafts/use-form-draft.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { capitalized } from '../../shared/i18n/language.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { LevelChoice } from '../../shared/levels/level-choice.js';
import { askedLevel, type LevelFields } from '../../shared/levels/level-fields.js';
import { DraftNotice } from '../../shared/ui/forms/draft-notice.js';
import { EmailField } from '../../shared/ui/forms/email-field.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import { Banner } from '../../shared/ui/layout/banner.js';
import { PageTitle, useFocusOnTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { dayText } from './day.js';
import styles from './family.module.css';
import { CancelInvitation } from './invitation/cancel-invitation.js';
import { InvitationCode } from './invitation/invitation-code.js';
import { InvitationTerms } from './invitation/invitation-terms.js';
import { lastDay, lengths } from './periods.js';
import { ProofFields } from './proof-fields.js';
import request from './request.module.css';
import { useProvenRefusal } from './use-proven-refusal.js';

interface Fields extends LevelFields {
  fullName: string;
  email: string;
  relation: string;
  months: number;
  currentPassword?: string;
}

const names = ['fullName', 'email', 'relation', 'level', 'kinds', 'currentPassword'] as const;
const drafted = ['fullName', 'email', 'relation', 'level', 'kinds', 'months'] as const;

/** A patient invites an adult to act for them, and gets the code to tell. */
export function InvitePage() {
  const { t } = useTranslation();
  const { data, isError, isFetching, refetch } = useInvitationsQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data: user } = useSessionQuery();
  const { mailWaits } = useSettings();
  const [sent, setSent] = useState<InvitationWithCode | null>(null);
  if (sent && user) return <Sent invitation={sent} user={user} />;
  return (
    <div className={styles.narrow}>
      <Link to="/user/family" className={styles.back}>
        <LeftOutlined aria-hidden /> {t('family.back')}
      </Link>
      <PageTitle>{t('family.invite')}</PageTitle>
      <p className={styles.lead}>{t('family.inviteLead')}</p>
      {mailWaits && <Banner tone="warning">{t('family.inviteByHand')}</Banner>}
      {data && user ? (
        <InviteForm choices={data} user={user} onSent={setSent} />
      ) : (
        isError && !isFetching && <LoadFailed onRetry={refetch} />
      )}
    </div>
  );
}

function InviteForm({
  choices: { bases },
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
  const { refusal, isProving } = useProvenRefusal(form);
  const [invite, { isLoading }] = useInviteMutation();
  const months = Form.useWatch('months', form) ?? 12;
  const end = lastDay(months);
  const relations = bases.flatMap((basis) =>
    basis.relations.map(({ id, label }) => ({ value: `${basis.id} ${id}`, label: capitalized(label) })),
  );
  const basisOf = (chosen: string | undefined) => bases.find(({ id }) => id === chosen?.split(' ')[0]);
  const draft = useFormDraft<Fields>({
    ...{ name: 'invite', form, fields: drafted },
    initial: { relation: relations[0]?.value ?? '', level: bases[0]?.levels.at(-1)?.id ?? '', months: 12 },
  });
  const { levels = [], single = null } = basisOf(Form.useWatch('relation', form) ?? draft.initial.relation) ?? {};

  const submit = async ({ relation: chosen, currentPassword, ...fields }: Fields) => {
    refusal.clear();
    const [basis = '', relation = ''] = chosen.split(' ');
    const { fullName, email } = fields;
    const body = { fullName, email: email.trim(), ...askedLevel(fields, single), basis, relation, ...(end && { end }) };
    const { data, error } = await invite({ ...body, ...(currentPassword && { currentPassword }) });
    if (data) {
      draft.forget();
      return onSent(data);
    }
    if (hasPageOfItsOwn(error)) return;
    const { first } = refusal.show(error, names);
    if (first) form.scrollToField(first, { focus: true });
  };
  const required = [{ required: true, whitespace: true, message: translateMessage(fieldRequired) }];

  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      noValidate
      initialValues={draft.initial}
    >
      {draft.isBack && <DraftNotice onDiscard={draft.discard} />}
      <Form.Item name="fullName" label={t('family.theirName')} rules={required}>
        <Input maxLength={200} autoComplete="off" />
      </Form.Item>
      <EmailField label={t('family.theirEmail')} autoComplete="off" />
      <Form.Item name="relation" label={t('family.theirRelation')} rules={required}>
        <select className={nativeField.select}>
          {relations.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </Form.Item>
      <Form.Item name="level" label={t('family.level')} rules={required}>
        <LevelChoice levels={levels} single={single} />
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
      <ProofFields user={user} isNeeded={isProving} />
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

function Sent({ invitation, user }: { invitation: InvitationWithCode; user: CurrentUser }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [cancelling, setCancelling] = useState(false);
  useFocusOnTitle(true);
  const { fullName, relation, email, link } = invitation;
  const name = isolateName(fullName.split(' ')[0] ?? fullName);
  const leave = () => navigate('/user/family');
  return (
    <div className={styles.narrow}>
      <PageTitle>{t('family.codeTitle', { name })}</PageTitle>
      <p className={styles.lead}>{link ? t('family.codeLeadByHand', { name }) : t('family.codeLead', { email })}</p>
      <InvitationCode invitation={invitation} user={user} />
      <div className={request.facts}>
        <dl>
          <div>
            <dt>{t('family.who')}</dt>
            <dd>{t('family.whoText', { name: isolateName(fullName), relation })}</dd>
          </div>
          <InvitationTerms invitation={invitation} />
        </dl>
        <button type="button" className={request.takeBack} onClick={() => setCancelling(true)}>
          {t('family.cancelInvitation')}
        </button>
      </div>
      <p className={styles.until}>{t('family.afterwards', { name })}</p>
      <Button type="primary" block onClick={leave}>
        {t('family.done')}
      </Button>
      <CancelInvitation invitation={invitation} open={cancelling} onClose={() => setCancelling(false)} onDone={leave} />
    </div>
  );
}
