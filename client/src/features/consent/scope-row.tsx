import { ClockCircleOutlined, EditOutlined, LockOutlined } from '@ant-design/icons';
import { Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Tick } from '../../../../src/contract/rules/scopes/scope-choice.js';
import { translateScope } from '../../shared/i18n/scope-texts.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import styles from './consent-page.module.css';
import { badgesOf, type Mark } from './selection.js';

const icons: Record<Mark, typeof LockOutlined> = {
  required: LockOutlined,
  canChange: EditOutlined,
  offline: ClockCircleOutlined,
};

/** One scope: the whole row is the label of its checkbox. */
export function ScopeRow({
  scope,
  tick,
  count,
  help,
  locked,
  child,
  technical,
  onTick,
}: {
  scope: { value: string; displayName: string; description: string; required?: boolean };
  tick: Tick;
  /** Takes the description's place on a parent of which only some are ticked. */
  count?: string;
  /** Says more than the words for the scope. */
  help?: string | undefined;
  locked?: boolean;
  child?: boolean | undefined;
  technical: boolean;
  onTick: (on: boolean) => void;
}) {
  const { t } = useTranslation();
  const { displayName, description } = translateScope(scope.value);
  return (
    <Checkbox
      className={child ? `${styles.row} ${styles.child}` : styles.row}
      checked={tick === 'all'}
      indeterminate={tick === 'some'}
      disabled={locked}
      onChange={(event) => onTick(event.target.checked)}
    >
      <span className={styles.scopeTitle}>
        <span>{displayName}</span>
        {badgesOf(scope).map((badge) => {
          const Icon = icons[badge];
          return (
            <Badge key={badge} icon={<Icon aria-hidden />}>
              {t(`consent.${badge}`)}
            </Badge>
          );
        })}
      </span>
      <span className={styles.description} aria-live={count ? 'polite' : undefined}>
        {count ?? help ?? description}
      </span>
      {technical && <code className={styles.technical}>{scope.value}</code>}
    </Checkbox>
  );
}
