import { Radio } from 'antd';
import type { LevelView } from '../../../../src/contract/representation/levels.js';
import { LevelDetails } from '../../shared/levels/level-details.js';
import { levelLine } from '../../shared/levels/level-texts.js';
import choices from './choices.module.css';

/** The levels as cards, each with what it shows in one line; below them the kinds of the chosen one. */
export function LevelChoice({
  levels,
  value,
  onChange,
  id,
}: {
  levels: readonly LevelView[];
  /** Value, handler and id come from the form item. */
  value?: string;
  onChange?: (level: string) => void;
  id?: string;
}) {
  const chosen = levels.find((one) => one.id === value);
  return (
    <>
      <Radio.Group
        {...(id !== undefined && { id })}
        className={choices.choices ?? ''}
        value={value}
        onChange={({ target }) => onChange?.(target.value as string)}
        options={levels.map((level) => ({
          value: level.id,
          label: (
            <>
              <span className={choices.choice}>{level.label}</span>
              <span className={choices.help}>{levelLine(level)}</span>
            </>
          ),
        }))}
      />
      {chosen && <LevelDetails level={chosen} />}
    </>
  );
}
