import { Form, Radio } from 'antd';
import { useTranslation } from 'react-i18next';
import type { LevelView, SingleKinds } from '../../../../src/contract/representation/levels.js';
import choices from './choices.module.css';
import { KindChoice } from './kind-choice.js';
import { LevelDetails } from './level-details.js';
import { singleKinds } from './level-fields.js';
import { levelLine } from './level-texts.js';
import './words/en.js';

/**
 * The levels as cards, each with what it shows in one line, and single kinds, which unfold in the same card; below them
 * the kinds of the chosen level.
 */
export function LevelChoice({
  levels,
  single,
  value,
  onChange,
  id,
}: {
  levels: readonly LevelView[];
  single: SingleKinds | null;
  /** Value, handler and id come from the form item. */
  value?: string;
  onChange?: (level: string) => void;
  id?: string;
}) {
  const { t } = useTranslation();
  const chosen = levels.find((one) => one.id === value);
  const cards = [
    ...levels.map((level) => ({
      value: level.id,
      name: level.isChosen ? t('levels.chosenLevel') : level.label,
      help: levelLine(level),
    })),
    ...(single ? [{ value: singleKinds, name: t('levels.choose'), help: t('levels.chooseHelp') }] : []),
  ];
  return (
    <>
      <div className={choices.card}>
        <Radio.Group
          {...(id !== undefined && { id })}
          className={choices.choices ?? ''}
          value={value}
          onChange={({ target }) => onChange?.(target.value as string)}
          options={cards.map(({ value: card, name, help }) => ({
            value: card,
            label: (
              <>
                <span className={choices.choice}>{name}</span>
                <span className={choices.help}>{help}</span>
              </>
            ),
          }))}
        />
        {single && value === singleKinds && (
          <Form.Item
            name="kinds"
            className={choices.kinds ?? ''}
            rules={[{ required: true, message: t('levels.kindsNeeded') }]}
          >
            <KindChoice single={single} />
          </Form.Item>
        )}
      </div>
      {chosen && <LevelDetails level={chosen} />}
    </>
  );
}
