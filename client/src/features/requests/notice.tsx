import { CheckCircleFilled, ExclamationCircleFilled, InfoCircleFilled } from '@ant-design/icons';
import type { ReactNode } from 'react';
import styles from './requests.module.css';

const icons = {
  success: <CheckCircleFilled aria-hidden />,
  info: <InfoCircleFilled aria-hidden />,
  warning: <ExclamationCircleFilled aria-hidden />,
};

/** A sentence that an administrator must not miss, and what to do about it. */
export function Notice({ type, children, action }: { type: keyof typeof icons; children: string; action?: ReactNode }) {
  return (
    <div role="status" className={styles.notice} data-type={type}>
      {icons[type]}
      <span>{children}</span>
      {action}
    </div>
  );
}
