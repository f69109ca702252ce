import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { StepMark } from '../../shared/ui/marks/step-mark.js';
import styles from './dashboard-page.module.css';

/** A step with a mark, and what can be done next to it. */
export function SetupStep({
  number,
  title,
  help,
  done,
  children,
}: {
  number: number;
  title: string;
  help: string;
  done: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <li>
      <StepMark look={done ? 'done' : 'open'} number={number} />
      <span className={styles.step}>
        <span className={styles.stepTitle}>{title}</span>
        <span className={styles.help}>{help}</span>
      </span>
      {done ? <span className={styles.help}>{t('dashboard.done')}</span> : children}
    </li>
  );
}
