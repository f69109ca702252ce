import { ExclamationCircleFilled, InfoCircleFilled } from '@ant-design/icons';
import type { ReactNode } from 'react';
import styles from './banner.module.css';

/** A notice above the content of a page; `act` stands at its end. */
export function Banner({
  tone = 'info',
  icon = tone === 'info' ? <InfoCircleFilled aria-hidden /> : <ExclamationCircleFilled aria-hidden />,
  act,
  children,
}: {
  tone?: 'info' | 'warning';
  icon?: ReactNode;
  act?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={`${styles.banner} ${styles[tone]}`}>
      <span className={styles.icon}>{icon}</span>
      <span className={styles.text}>{children}</span>
      {act}
    </div>
  );
}
