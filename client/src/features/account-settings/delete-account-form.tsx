import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeletionFacts } from '../../../../src/contract/own-record/own-data.js';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { hasPageOfItsOwn, isGone } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useDeleteAccountMutation, useDeletionFactsQuery } from '../../api/own-record/own-data.js';
import { useSettings } from '../../api/settings.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { tellSessionChanged } from '../../shared/browser/session-news.js';
import { recordSignOut } from '../../shared/browser/visit.js';
import { forgetAllDrafts, unloadUnasked } from '../../shared/drafts/drafts.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardForm from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import passkeys from '../passkeys/passkeys.module.css';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import { FactorField, FactorSwitch, useFactor } from '../two-factor/factor-field.js';
import { useOneAtATime } from '../two-factor/use-one-at-a-time.js';
import styles from './account-settings.module.css';
import { ConfirmAtProvider } from './confirm-at-provider.js';

interface Fields {
  currentPassword?: string;
  verificationCode?: string;
  recoveryCode?: string;
}

/** Dialog with the consequences of the deletion of the account, and the proofs that it takes. */
export function DeleteAccountForm({
  user,
  onGone,
  onCancel,
}: {
  user: CurrentUser;
  onGone: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const {
    data: facts,
    isError,
    isFetching,
    refetch,
  } = useDeletionFactsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  });
  const slow = useSlow(isFetching && !facts);
  if (facts?.isLastAdmin) return <p className={styles.lead}>{t('ownData.lastAdmin')}</p>;
  if (facts) {
    return (
      <>
        <Consequences user={user} facts={facts} />
        {facts.by === 'provider' && !facts.isConfirmed ? (
          <>
            <ConfirmAtProvider provider={facts.provider} open="delete" />
            <Cancel onClick={onCancel} />
          </>
        ) : (
          <ProofForm user={user} by={facts.by} onGone={onGone} onCancel={onCancel} />
        )}
      </>
    );
  }
  if (isError && !isFetching) return <LoadFailed onRetry={refetch} />;
  return (
    slow && (
      <div aria-hidden="true" className={cardForm.skeleton}>
        <Skeleton height={120} />
        <Skeleton height={48} />
        <Skeleton height={48} />
      </div>
    )
  );
}

function Consequences({ user, facts: { days, provider } }: { user: CurrentUser; facts: DeletionFacts }) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  return (
    <div className={styles.consequences}>
      <h3>{t(days === 0 ? 'ownData.endsNow' : 'ownData.happens')}</h3>
      <ul>
        <li>{t('ownData.endsSessions')}</li>
        <li>{t('ownData.endsApps')}</li>
        {days === 0 && user.is2faEnabled && <li>{t('ownData.endsTwoFactor')}</li>}
        {days === 0 && provider && (
          <li>{t('ownData.endsProvider', { provider: isolateName(provider.displayName) })}</li>
        )}
        <li>{days === 0 ? t('ownData.endsAccount') : t('ownData.endsAccountLater', { count: days })}</li>
        {days > 0 && <li>{t(user.email === null || mailWaits ? 'ownData.keepBySignIn' : 'ownData.keepByMail')}</li>}
      </ul>
      <h3>{t('ownData.stays')}</h3>
      <ul>
        {user.userType !== 'Admin' && <li>{t('ownData.staysRecord')}</li>}
        <li>{t('ownData.staysAudit')}</li>
      </ul>
    </div>
  );
}

function Cancel({ disabled = false, onClick }: { disabled?: boolean; onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <Button block disabled={disabled} className={cardForm.below ?? ''} onClick={onClick}>
      {t('common.cancel')}
    </Button>
  );
}

function ProofForm({
  user,
  by,
  onGone,
  onCancel,
}: {
  user: CurrentUser;
  by: DeletionFacts['by'];
  onGone: () => void;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const typed = Form.useWatch([], form) ?? {};
  const refusal = useRefusal(form);
  // The other code begins empty; the password stays as it was typed.
  const codes = { resetFields: () => form.resetFields(['verificationCode', 'recoveryCode']) };
  const [switched, setSwitched] = useState(false);
  const factor = useFactor(codes, () => {
    refusal.clear();
    setSwitched(true);
  });
  const [send, { isLoading }] = useDeleteAccountMutation();
  // Passwords and codes are never stored: they stay only as long as the page does.
  useOpenForm({ name: 'delete-account', isChanged: () => Object.values(typed).some(Boolean) });

  const submit = useOneAtATime(async (fields: Fields) => {
    refusal.clear();
    const { data, error } = await send(fields);
    if (data) return leaveDeleted(data.deletedOn === null ? 'now' : 'later');
    if (isGone(error)) return onGone();
    if (hasPageOfItsOwn(error)) return;
    // The proof of the passkey is too old by now.
    if (by === 'passkey') form.resetFields();
    const { first } = refusal.show(error, ['currentPassword', factor.field]);
    if (first) form.getFieldInstance(first)?.focus({ cursor: 'all' });
  });

  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      scrollToFirstError={{ focus: true }}
      noValidate
    >
      {by === 'provider' && <p className={styles.lead}>{t('ownData.confirmed')}</p>}
      {by === 'password' && <CurrentPasswordField user={user} />}
      {by === 'passkey' && (
        <>
          <CurrentPasswordField user={{ ...user, hasNoPassword: true }} />
          {!user.hasNoPassword && <p className={passkeys.again}>{t('ownData.lostPasskey')}</p>}
        </>
      )}
      {user.is2faEnabled && by !== 'passkey' && (
        <>
          <FactorField
            factor={factor}
            busy={isLoading}
            sendsAtOnce={false}
            takesFocus={switched || by === 'provider'}
            onComplete={() => {}}
          />
          <FactorSwitch factor={factor} />
        </>
      )}
      <ErrorList errors={refusal.errors} />
      <Button type="primary" danger htmlType="submit" block loading={isLoading} className={styles.last}>
        {t('ownData.deleteSubmit')}
      </Button>
      <Cancel disabled={isLoading} onClick={onCancel} />
    </Form>
  );
}

/** With a new document: nothing of the account is left in this one. */
function leaveDeleted(when: 'now' | 'later'): void {
  forgetAllDrafts();
  recordSignOut();
  tellSessionChanged();
  unloadUnasked(() => window.location.replace(portalPath(`/login?deleted=${when}`)));
}
