import { SearchOutlined } from '@ant-design/icons';
import { Checkbox, Input } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from '../form.module.css';
import '../words/en.js';

export interface Choice {
  value: string;
  label: ReactNode;
  /** The text that a search matches. */
  text: string;
}

/** The number of choices from which the list has a search field. */
const searchFrom = 10;

/**
 * A choice of several. With `all`, an empty selection means all of them, shown as an entry of its own that excludes
 * every other (`spec §4`). A selected value that is not offered any more stays visible.
 */
export function ChoiceList({
  label,
  choices,
  selected,
  all,
  onChange,
}: {
  label: string;
  choices: readonly Choice[];
  selected: readonly string[];
  all?: string;
  onChange: (selected: string[]) => void;
}) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const missing = selected.filter((value) => choices.every((choice) => choice.value !== value));
  const offered = [...choices, ...missing.map((value) => ({ value, label: value, text: value }))];
  const found = offered.filter(({ text }) => text.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <div className={styles.choices}>
      {offered.length >= searchFrom && (
        <Input
          className={styles.choiceSearch}
          prefix={<SearchOutlined aria-hidden />}
          aria-label={t('clientForm.searchIn', { label })}
          placeholder={t('clientForm.search')}
          autoComplete="off"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <div className={styles.choiceScroll}>
        {all && (
          <Checkbox checked={selected.length === 0} onChange={() => onChange([])}>
            {all}
          </Checkbox>
        )}
        {found.map(({ value, label: name }) => (
          <Checkbox
            key={value}
            checked={selected.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...selected, value] : selected.filter((one) => one !== value))
            }
          >
            {name}
          </Checkbox>
        ))}
        {search !== '' && found.length === 0 && <p className={styles.help}>{t('clientForm.nothingFound')}</p>}
      </div>
      {selected.length > 0 && (
        <p className={styles.help} role="status">
          {t('clientForm.selected', { count: selected.length })}
        </p>
      )}
    </div>
  );
}
