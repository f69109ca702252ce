import { Button, Form } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrors, isGone } from '../../api/failures/form-errors.js';
import { useSessionQuery } from '../../api/session.js';
import { useDisableByRecoveryMutation, useDisableTwoFactorMutation } from '../../api/users/two-factor.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import { FactorField, FactorSwitch, useFactor } from '../two-factor/factor-field.js';
import { useOneAtATime } from '../two-factor/use-one-at-a-time.js';
import styles from './account-settings.module.css';

interface Fields {
  verificationCode: string;
  recoveryCode: string;
  currentPassword?: string;
}

/** Switches the second factor off, in a dialog: by a code of the authenticator app or by a recovery code. */
export function DisableForm({ onGone, onDisabled }: { onGone: () => void; onDisabled: () => void }) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const [form] = Form.useForm<Fields>();
  /** True after the server has refused: the sign-in is too old without the password. */
  const [withPassword, setWithPassword] = useState(false);
  const [errors, setErrors] = useState<string[]>([]);
  const factor = useFactor(form, () => setErrors([]));
  const { recovery, field: code } = factor;
  const [disable, byCode] = useDisableTwoFactorMutation();
  const [disableByRecovery, byRecovery] = useDisableByRecoveryMutation();

  useEffect(() => {
    if (withPassword) form.getFieldInstance('currentPassword')?.focus();
  }, [withPassword, form]);

  const submit = useOneAtATime(async ({ verificationCode, recoveryCode, currentPassword }: Fields) => {
    setErrors([]);
    const password = withPassword ? { currentPassword: currentPassword ?? '' } : {};
    const { error } = await (recovery
      ? disableByRecovery({ recoveryCode, ...password })
      : disable({ verificationCode, ...password }));
    if (!error) return onDisabled();
    if (isGone(error)) return onGone();
    const problems = formErrors(error, [code, 'currentPassword']);
    setErrors(problems.form);
    const { currentPassword: wrongPassword, [code]: wrongCode } = problems.fields;
    form.setFields([{ name: code, errors: wrongCode ?? [] }]);
    if (wrongPassword && !withPassword) return setWithPassword(true);
    form.setFields([{ name: 'currentPassword', errors: wrongPassword ?? [] }]);
    form.getFieldInstance(wrongPassword ? 'currentPassword' : code)?.focus({ cursor: 'all' });
  });

  const submitCode = () => {
    if (!withPassword || form.getFieldValue('currentPassword')) form.submit();
  };

  return (
    <>
      <p className={styles.lead}>{t('accountSettings.disableLead')}</p>
      <Form<Fields> form={form} layout="vertical" onFinish={submit} scrollToFirstError={{ focus: true }} noValidate>
        <FactorField factor={factor} busy={byCode.isLoading} sendsAtOnce={!withPassword} onComplete={submitCode} />
        {withPassword && user && (
          <CurrentPasswordField
            user={user}
            label={t('accountSettings.currentPassword')}
            help={t('accountSettings.passwordAgain')}
          />
        )}
        <ErrorList errors={errors} />
        <Button type="primary" danger htmlType="submit" block loading={byCode.isLoading || byRecovery.isLoading}>
          {t('accountSettings.turnOff')}
        </Button>
        <FactorSwitch factor={factor} />
      </Form>
    </>
  );
}
