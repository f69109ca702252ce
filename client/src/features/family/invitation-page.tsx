import './words/en.js';
import { ClockCircleOutlined, EyeOutlined, HistoryOutlined } from '@ant-design/icons';
import { Button, Checkbox, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { InvitationFacts } from '../../../../src/contract/invitations.js';
import { formErrors, isSignedOut } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import {
  useAcceptInvitationMutation,
  useDeclineInvitationMutation,
  useInvitationFactsQuery,
} from '../../api/own-record/family.js';
import { useSessionQuery } from '../../api/session.js';
import type { MailedLink } from '../../shared/addresses/mailed-link.js';
import { withReturnUrl } from '../../shared/addresses/return-url.js';
import { useLink } from '../../shared/addresses/use-link.js';
import { signOut } from '../../shared/browser/sign-out.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { LevelDetails } from '../../shared/levels/level-details.js';
import { levelLine } from '../../shared/levels/level-texts.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PageTitle, useFocusOnTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { dayText } from './day.js';
import styles from './family.module.css';

/** The page behind the link of an invitation: who asks, what for, and the code that the patient has told. */
export function InvitationPage() {
  const { t } = useTranslation();
  const { link, forget } = useLink();
  if (link) return <Invitation link={link} onDone={forget} />;
  return <Ended text={t('family.invitationEnded')} />;
}

function Invitation({ link, onDone }: { link: MailedLink; onDone: () => void }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useInvitationFactsQuery(link);
  const [outcome, setOutcome] = useState<string | null>(null);
  useFocusOnTitle(outcome !== null);
  if (outcome) return <Ended text={outcome} />;
  if (error) {
    const { status } = error as { status?: unknown };
    if (status === 404 || status === 400) return <Ended text={t('family.invitationEnded')} />;
    return status === 429 ? <ErrorList errors={formErrors(error).form} /> : <LoadFailed onRetry={refetch} />;
  }
  if (!data) return null;
  const end = (text: string) => {
    onDone();
    setOutcome(text);
  };
  return <Answer link={link} facts={data} onEnd={end} onDone={onDone} />;
}

function Ended({ text }: { text: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useFocusOnTitle(true);
  return (
    <>
      <PageTitle className={card.title}>{text}</PageTitle>
      <div className={card.instead}>
        <Button block onClick={() => navigate('/login')}>
          {t('common.goToLogin')}
        </Button>
      </div>
    </>
  );
}

interface Fields {
  spokenCode: string;
  isAdult: boolean;
}

const names = ['spokenCode', 'isAdult'] as const;

function Answer({
  link,
  facts,
  onEnd,
  onDone,
}: {
  link: MailedLink;
  facts: InvitationFacts;
  onEnd: (text: string) => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: user } = useSessionQuery();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const [accept, { isLoading }] = useAcceptInvitationMutation();
  const [decline, declining] = useDeclineInvitationMutation();
  const code = Form.useWatch('spokenCode', form) ?? '';
  const isComplete = code.replaceAll(/\s/g, '').length === 6;
  const name = isolateName(facts.firstName);
  const byHand = facts.handedOver ? 'family.acceptHandedOver' : undefined;
  /** The sentence in the place of a new account. */
  const without = facts.makesNoAccount ? 'family.acceptElsewhere' : byHand;

  const checkCode = async (_: unknown, value = '') => {
    if (!/^\s*(?:\d\s*){6}$/.test(value)) throw new Error(t('family.codeNeeded'));
  };
  const checkAdult = async (_: unknown, value = false) => {
    if (!value) throw new Error(t('family.adultNeeded'));
  };
  /** The link stays in this tab, and is there again after the sign-in. */
  const signIn = () => navigate(withReturnUrl('/login', '/invitation'));
  const submit = async (account: 'own' | 'new') => {
    refusal.clear();
    const fields = await form.validateFields().catch(() => undefined);
    if (!fields) return;
    const { userId: id, token } = link;
    const { data, error } = await accept({
      id,
      token,
      spokenCode: fields.spokenCode,
      isAdult: fields.isAdult,
      account,
    });
    if (isSignedOut(error)) return signIn();
    if ((error as { status?: unknown } | undefined)?.status === 404) return onEnd(t('family.invitationEnded'));
    if (!data) return void refusal.show(error, names);
    onDone();
    if (data.activation !== null) return navigate(data.activation);
    notify('success', data.state === 'active' ? t('family.accepted', { name }) : t('family.acceptedWaiting'));
    navigate('/user/family');
  };
  const refuse = async () => {
    const { error } = await decline(link);
    if (error && (error as { status?: unknown }).status !== 404) return void refusal.show(error, []);
    onEnd(t('family.refused'));
  };

  return (
    <>
      <PageTitle className={card.title}>{t('family.asks', { name })}</PageTitle>
      <p className={card.lead}>{t('family.asksLead', { name })}</p>
      <ul className={styles.offer}>
        <li>
          <EyeOutlined aria-hidden />
          <span>
            <strong>{t('family.youWouldSee')}</strong> {levelLine(facts.level)}
            <LevelDetails level={facts.level} />
          </span>
        </li>
        <li>
          <ClockCircleOutlined aria-hidden />
          <span>
            <strong>{t('family.howLongText')}</strong>{' '}
            {facts.end ? t('family.untilOrSooner', { date: dayText(facts.end) }) : t('family.unlimitedOrSooner')}
          </span>
        </li>
        <li>
          <HistoryOutlined aria-hidden />
          <span>
            <strong>{t('family.seesToo', { name })}</strong> {t('family.seesTooText', { name })}
          </span>
        </li>
      </ul>
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={{ isAdult: false }}
        onFinish={() => submit('own')}
        noValidate
      >
        <Form.Item
          name="spokenCode"
          label={t('family.codeFrom', { name })}
          extra={t(facts.handedOver ? 'family.codeHelpByHand' : 'family.codeHelp', { name })}
          rules={[{ validator: checkCode }]}
          validateTrigger="onSubmit"
        >
          <Input className={styles.codeInput ?? ''} inputMode="numeric" autoComplete="one-time-code" maxLength={12} />
        </Form.Item>
        <Form.Item
          name="isAdult"
          valuePropName="checked"
          rules={[{ validator: checkAdult }]}
          validateTrigger="onSubmit"
        >
          <Checkbox>{t('family.adult')}</Checkbox>
        </Form.Item>
        <ErrorList errors={refusal.errors} />
        {user && (
          <p className={styles.signedIn}>
            {t('family.signedInAs', { name: isolateName(user.fullName) })}{' '}
            <Button type="link" onClick={() => signOut('/invitation')}>
              {t('family.otherAccount')}
            </Button>
          </p>
        )}
        <Button type="primary" htmlType="submit" block disabled={!isComplete} loading={isLoading}>
          {t('family.acceptOwn')}
        </Button>
        {!user && without && <p className={styles.signedIn}>{t(without)}</p>}
        {!user && !without && (
          <Button block className={card.below} disabled={!isComplete || isLoading} onClick={() => submit('new')}>
            {t('family.acceptNew')}
          </Button>
        )}
        <Button type="link" block className={card.below} loading={declining.isLoading} onClick={refuse}>
          {t('family.refuse')}
        </Button>
      </Form>
    </>
  );
}
