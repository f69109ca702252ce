import { CheckCircleFilled, CloseCircleFilled, QuestionCircleFilled, WarningFilled } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { ReadinessState } from '../../../../src/contract/readiness.js';
import styles from './readiness.module.css';

const icons = {
  pass: CheckCircleFilled,
  improve: WarningFilled,
  blocking: CloseCircleFilled,
  unknown: QuestionCircleFilled,
};

/** In front of a check: its state as an icon, which has a name. */
export function StateMark({ state }: { state: ReadinessState }) {
  const { t } = useTranslation();
  const Icon = icons[state];
  return (
    <span className={`${styles.mark} ${styles[state]}`} role="img" aria-label={t(`readiness.states.${state}`)}>
      <Icon aria-hidden />
    </span>
  );
}
