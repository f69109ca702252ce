import { Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ResetSecondFactorRequest, StepUpFacts } from '../../../../src/contract/users/helpdesk.js';
import type { UserView } from '../../../../src/contract/users/users.js';
import { isGone } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { useResetSecondFactorMutation, useStepUpQuery } from '../../api/users/helpdesk.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { externalSignIn } from '../../shared/addresses/external-sign-in.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardForm from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import { FactorField, FactorSwitch, useFactor } from '../two-factor/factor-field.js';
import { useOneAtATime } from '../two-factor/use-one-at-a-time.js';
import styles from './user-help.module.css';

export interface ResetFactorProps {
  user: UserView;
  hasNoPassword: boolean;
  open: boolean;
  onClose: () => void;
  onDone: () => void;
  onGone: () => void;
  afterClose: () => void;
}

/** Says what the reset of a user's second factor does, and takes the administrator's own proof. */
export function ResetFactorDialog({ open, onClose, afterClose, hasNoPassword, ...props }: ResetFactorProps) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const name = isolateName(props.user.fullName);
  const news =
    props.user.email === null ? 'helpdesk.resetUntold' : mailWaits ? 'helpdesk.resetMailWaits' : 'helpdesk.resetMail';
  return (
    <Dialog
      open={open}
      title={t('helpdesk.resetTitle', { name })}
      width={480}
      onClose={onClose}
      afterClose={afterClose}
    >
      <ul className={styles.consequences}>
        <li>{t(hasNoPassword ? 'helpdesk.resetNoPassword' : 'helpdesk.resetPassword', { name })}</li>
        <li>{t('helpdesk.resetSessions', { name })}</li>
        <li>{t(news, { name })}</li>
      </ul>
      <Proof {...props} />
    </Dialog>
  );
}

type ProofProps = Pick<ResetFactorProps, 'user' | 'onDone' | 'onGone'>;

function Proof(props: ProofProps) {
  const { data, isError, isFetching, refetch } = useStepUpQuery(undefined, { refetchOnMountOrArgChange: true });
  const slow = useSlow(isFetching && !data);
  if (data) return <ProofForm {...props} facts={data} />;
  if (isError && !isFetching) return <LoadFailed onRetry={refetch} />;
  return (
    slow && (
      <div aria-hidden="true" className={cardForm.skeleton}>
        <Skeleton height={48} />
        <Skeleton height={36} />
      </div>
    )
  );
}

type Fields = Pick<ResetSecondFactorRequest, 'currentPassword' | 'verificationCode' | 'recoveryCode'>;

function ProofForm({
  user,
  facts: { by, provider, isConfirmed },
  onDone,
  onGone,
}: ProofProps & { facts: StepUpFacts }) {
  const { t } = useTranslation();
  const { data: admin } = useSessionQuery();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const factor = useFactor(form, refusal.clear);
  const [reset, { isLoading }] = useResetSecondFactorMutation();

  const submit = useOneAtATime(async (fields: Fields) => {
    refusal.clear();
    const { error } = await reset({ id: user.id, ...fields });
    if (!error) return onDone();
    if (isGone(error)) return onGone();
    const { fields: problems } = refusal.show(error, ['currentPassword', factor.field]);
    const field = by === 'code' ? factor.field : 'currentPassword';
    if (problems[field]) form.getFieldInstance(field)?.focus({ cursor: 'all' });
  });

  if (by === 'provider' && !isConfirmed) {
    if (!provider) return <p>{t('helpdesk.noProvider')}</p>;
    const at = { provider: isolateName(provider.displayName) };
    const back = `${portalPath('/admin/user-management')}?${new URLSearchParams({ user: user.id })}`;
    return (
      <>
        <p className={styles.lead}>{t('helpdesk.confirmHelp', at)}</p>
        <Button type="primary" block href={externalSignIn(provider, back, { confirm: true })}>
          {t('helpdesk.confirmAction', at)}
        </Button>
      </>
    );
  }
  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      scrollToFirstError={{ focus: true }}
      noValidate
    >
      {by === 'provider' && <p className={styles.lead}>{t('helpdesk.confirmed')}</p>}
      {by === 'password' && admin && <CurrentPasswordField user={admin} label={t('helpdesk.ownPassword')} />}
      {by === 'code' && (
        <>
          <p className={styles.lead}>{t('helpdesk.ownCode')}</p>
          <FactorField factor={factor} busy={isLoading} sendsAtOnce={false} onComplete={() => {}} />
          <FactorSwitch factor={factor} />
        </>
      )}
      <ErrorList errors={refusal.errors} />
      <Button type="primary" danger htmlType="submit" block loading={isLoading}>
        {t('helpdesk.resetFactor')}
      </Button>
    </Form>
  );
}
