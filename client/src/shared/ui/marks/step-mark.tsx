import { CheckOutlined } from '@ant-design/icons';
import styles from './step-mark.module.css';

/** The mark in front of a step: its number or its state, which the words next to it name for screen readers. */
export function StepMark({ look, number }: { look: 'open' | 'current' | 'done' | 'wrong'; number: number }) {
  return (
    <span className={`${styles.mark} ${styles[look]}`} aria-hidden="true">
      {look === 'wrong' ? '!' : look === 'done' ? <CheckOutlined /> : number}
    </span>
  );
}
