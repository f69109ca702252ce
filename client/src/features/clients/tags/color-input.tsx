import { Input, type InputProps } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { tagPalette } from '../../../../../src/contract/rules/tag.js';
import { TagMark } from '../../../shared/ui/marks/tag-mark.js';
import styles from './tags.module.css';
import './words/en.js';

/** A colour of the palette, or one's own; what Form.Item gives goes to the field for one's own. */
export function ColorInput({
  value = '',
  onChange,
  ...field
}: Omit<InputProps, 'value' | 'onChange'> & { value?: string; onChange?: (color: string) => void }) {
  const { t } = useTranslation();
  const name = useId();
  return (
    <>
      <fieldset className={styles.palette}>
        <legend className="visually-hidden">{t('tags.palette')}</legend>
        {tagPalette.map((color) => (
          <label
            key={color}
            className={styles.swatch}
            style={{ backgroundColor: color }}
            title={t(`tags.colors.${color}`)}
          >
            <input
              type="radio"
              name={name}
              aria-label={t(`tags.colors.${color}`)}
              checked={value.toUpperCase() === color}
              onChange={() => onChange?.(color)}
            />
          </label>
        ))}
      </fieldset>
      <Input
        {...field}
        className={styles.color}
        value={value}
        prefix={<TagMark color={value.trim()} />}
        maxLength={30}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange?.(target.value)}
      />
    </>
  );
}
