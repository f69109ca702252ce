import { Input, type InputProps } from 'antd';
import styles from './two-factor.module.css';

/** One field for the six digits, which phones fill in by themselves; blanks in between do no harm. */
export function CodeInput(props: InputProps) {
  return (
    <Input
      {...props}
      className={styles.code}
      inputMode="numeric"
      autoComplete="one-time-code"
      placeholder="000000"
      spellCheck={false}
    />
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
