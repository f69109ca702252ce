import './words/en.js';
import { Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { codeEmpty } from '../../../../src/contract/rules/users/two-factor-code.js';
import type { TwoFactorSetup } from '../../../../src/contract/users/two-factor.js';
import { isGone } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useSessionQuery } from '../../api/session.js';
import { useEnableTwoFactorMutation } from '../../api/users/two-factor.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { CodeInput } from './code-input.js';
import { CurrentPasswordField } from './current-password-field.js';
import { SetupKey } from './setup-key.js';
import styles from './two-factor.module.css';
import { useOneAtATime } from './use-one-at-a-time.js';

interface Fields {
  verificationCode: string;
  currentPassword?: string;
}

/** Sets an authenticator app up: shows its key and asks for the first code. */
export function Activation({
  setup,
  returnUrl,
  onActivated,
  onGone,
  onStale,
}: {
  setup: TwoFactorSetup;
  /** The address of the app's pending request. */
  returnUrl: string | null;
  /** Called with the recovery codes, which cannot be requested again. */
  onActivated: (recoveryCodes: string[] | null) => void;
  /** The account or its session does not exist any more (`spec §8`). */
  onGone: () => void;
  /** The setup is stale: it was finished elsewhere, or the sign-in is not recent any more. */
  onStale: () => void;
}) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const [enable, { isLoading, isSuccess }] = useEnableTwoFactorMutation();

  const submit = useOneAtATime(async (fields: Fields) => {
    refusal.clear();
    const result = await enable({ ...fields, returnUrl });
    if (!result.error) return onActivated(result.data.recoveryCodes);
    if (isGone(result.error)) return onGone();
    const { fields: problems, first } = refusal.show(result.error, ['verificationCode', 'currentPassword']);
    const status = 'status' in result.error ? result.error.status : undefined;
    if (status === 409 || (problems.currentPassword && !setup.currentPasswordRequired)) onStale();
    if (first) form.scrollToField(first);
    if (first) form.getFieldInstance(first)?.focus({ cursor: 'all' });
  });

  const submitCode = () => {
    if (!setup.currentPasswordRequired || form.getFieldValue('currentPassword')) form.submit();
  };

  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      scrollToFirstError={{ focus: true }}
      noValidate
    >
      <ol className={styles.steps}>
        <li>
          <span className={styles.number} aria-hidden="true">
            1
          </span>
          <SetupKey setup={setup} />
        </li>
        <li>
          <span className={styles.number} aria-hidden="true">
            2
          </span>
          <Form.Item
            name="verificationCode"
            className={styles.codeItem ?? ''}
            label={t('twoFactor.enterCode')}
            validateTrigger="onSubmit"
            extra={setup.currentPasswordRequired ? undefined : t('verification.sentAtOnce')}
            rules={[{ required: true, whitespace: true, message: translateMessage(codeEmpty) }]}
          >
            <CodeInput busy={isLoading} onComplete={submitCode} />
          </Form.Item>
        </li>
      </ol>
      {setup.currentPasswordRequired && user && (
        <CurrentPasswordField user={user} label={t('twoFactor.currentPassword')} />
      )}
      <ErrorList errors={refusal.errors} />
      <Button type="primary" htmlType="submit" block loading={isLoading} disabled={isSuccess}>
        {t('twoFactor.submit')}
      </Button>
    </Form>
  );
}
