import { CheckOutlined } from '@ant-design/icons';
import styles from './step-mark.module.css';

/** In front of a step: its number, or how it stands. What it says is said beside it in words, too. */
export function StepMark({ look, number }: { look: 'open' | 'current' | 'done' | 'wrong'; number: number }) {
  return (
    <span className={`${styles.mark} ${styles[look]}`} aria-hidden="true">
      {look === 'wrong' ? '!' : look === 'done' ? <CheckOutlined /> : number}
    </span>
  );
}
