import './words/en.js';
import { Input, type InputProps } from 'antd';
import { type ChangeEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { normaliseAuthenticationCode } from '../../../../src/contract/rules/users/two-factor-code.js';
import styles from './two-factor.module.css';

/**
 * One field for the six digits, which phones fill in by themselves; blanks in between do no harm. `onComplete` is
 * called with the sixth digit, typed, pasted or filled in; once for the same digits, so that a refused code is not sent
 * again.
 */
export function CodeInput({
  busy = false,
  onComplete,
  onChange,
  ...props
}: InputProps & {
  /** The code is being checked. */
  busy?: boolean;
  onComplete: () => void;
}) {
  const { t } = useTranslation();
  const completed = useRef<string>(undefined);

  const change = (event: ChangeEvent<HTMLInputElement>) => {
    onChange?.(event);
    const digits = normaliseAuthenticationCode(event.target.value);
    if (!digits || digits === completed.current) return;
    completed.current = digits;
    onComplete();
  };

  return (
    <>
      <Input
        {...props}
        className={styles.code}
        inputMode="numeric"
        autoComplete="one-time-code"
        placeholder="000000"
        spellCheck={false}
        readOnly={busy}
        onChange={change}
      />
      <span className="visually-hidden" role="status">
        {busy ? t('verification.checking') : ''}
      </span>
    </>
  );
}

export function RecoveryCodeInput(props: InputProps) {
  return (
    <Input
      {...props}
      className={`${styles.code} ${styles.recovery}`}
      autoComplete="off"
      autoCapitalize="characters"
      placeholder="XXXXXX-XXXXXX"
      spellCheck={false}
    />
  );
}
