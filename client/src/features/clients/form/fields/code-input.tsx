import { Input, type InputProps } from 'antd';
import styles from '../form.module.css';
import type { Control } from './field.js';

/** An input for an address or a secret, without the browser's spell check and completion. */
export function CodeInput({ control, ...rest }: InputProps & { control: Control }) {
  return (
    <Input
      {...control}
      {...rest}
      className={styles.code}
      status={control['aria-invalid'] ? 'error' : ''}
      spellCheck={false}
      autoComplete="off"
    />
  );
}
