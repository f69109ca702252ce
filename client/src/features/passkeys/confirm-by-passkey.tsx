import './words/en.js';
import { CheckCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { QuietStatus } from '../../shared/ui/forms/quiet-status.js';
import { PasskeyIcon } from './passkey-icon.js';
import styles from './passkeys.module.css';
import { useConfirmation } from './use-confirmation.js';
import '../login/words/en.js';

/** The control of a form in place of the current password; its value says that a passkey was proven. */
export function ConfirmByPasskey({
  id,
  value,
  onChange,
}: {
  id?: string;
  value?: string;
  onChange?: (value: string) => void;
}) {
  const { t } = useTranslation();
  const { run, busy, stopped } = useConfirmation();
  const [errors, setErrors] = useState<string[]>([]);
  const press = async () => {
    setErrors([]);
    const result = await run();
    if (result === 'done') onChange?.('passkey');
    else if (result !== 'stopped') setErrors(result);
  };
  if (value) {
    return (
      <p id={id} role="status" className={styles.confirmed}>
        <CheckCircleOutlined aria-hidden /> {t('passkeys.confirm.done')}
      </p>
    );
  }
  if (!supportsPasskeys()) return <p id={id}>{t('passkeys.confirm.unsupported')}</p>;
  return (
    <>
      <Button id={id ?? ''} block icon={<PasskeyIcon />} loading={busy} onClick={press}>
        {t('passkeys.useIt')}
      </Button>
      <QuietStatus>{stopped && t('login.passkeyStopped')}</QuietStatus>
      <ErrorList errors={errors} />
    </>
  );
}
