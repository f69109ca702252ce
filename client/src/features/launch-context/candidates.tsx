import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { LaunchContextKind, LaunchContextRow } from '../../../../src/contract/launch-context.js';
import { useMedia } from '../../shared/browser/use-media.js';
import { display } from '../../shared/i18n/fhir-dates.js';
import radioStyles from '../../shared/ui/forms/radio.module.css';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Badge } from '../../shared/ui/marks/badge.js';
import styles from './launch-context-page.module.css';
import { translateName } from './translate-name.js';

interface Choice {
  kind: LaunchContextKind;
  selected: string | null;
  /** Selects, or takes the selection back. */
  onToggle: (id: string) => void;
  label: string;
  /** The text for an empty list. */
  empty: string;
}

/** Rows of a table, or cards on a phone; the whole of each is the label of its radio button. */
export function Candidates(choice: Choice) {
  const narrow = useMedia('(max-width: 767.98px)');
  if (choice.kind.data.length === 0) return <p className={styles.empty}>{choice.empty}</p>;
  return narrow ? <Cards {...choice} /> : <Table {...choice} />;
}

function Table({ kind: { columns, data }, selected, onToggle, label }: Choice) {
  const { t } = useTranslation();
  const group = useId();
  return (
    <div className={`${cardStyles.card} ${styles.scroll}`}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            <th scope="col" className={styles.mark}>
              <span className="visually-hidden">{t('launchContext.selection')}</span>
            </th>
            {columns.map((column) => (
              <th key={column} scope="col">
                {translateName('columns', column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.map((row) => (
            <tr key={row.id} className={row.id === selected ? styles.selected : undefined}>
              <td className={styles.mark}>
                <Mark group={group} row={row} selected={selected} onToggle={onToggle} />
              </td>
              {columns.map((column, index) => (
                <td key={column}>
                  {index === 0 ? (
                    <label htmlFor={group + row.id}>{titleOf(row, column)}</label>
                  ) : (
                    <Cell row={row} column={column} />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards({ kind: { columns, data }, selected, onToggle, label }: Choice) {
  const group = useId();
  const [title = '', ...others] = columns;
  return (
    <div role="radiogroup" aria-label={label} className={styles.cards}>
      {data.map((row) => (
        <label
          key={row.id}
          htmlFor={group + row.id}
          className={`${cardStyles.card} ${styles.candidate} ${row.id === selected ? styles.selected : ''}`}
        >
          <Mark group={group} row={row} selected={selected} onToggle={onToggle} />
          <span className={styles.name}>{titleOf(row, title)}</span>
          <Cell row={row} column={others.includes(status) ? status : ''} />
          <span className={styles.meta}>
            {others
              .filter((column) => column !== status && cell(row, column) !== '')
              .map((column) => (
                <span key={column}>{cell(row, column)}</span>
              ))}
          </span>
        </label>
      ))}
    </div>
  );
}

/**
 * A click or the space bar on a selected radio button takes the selection back, which a change event would not tell.
 */
function Mark({
  group,
  row,
  selected,
  onToggle,
}: Pick<Choice, 'selected' | 'onToggle'> & { group: string; row: LaunchContextRow }) {
  const checked = row.id === selected;
  return (
    <input
      type="radio"
      id={group + row.id}
      name={group}
      className={radioStyles.radio}
      checked={checked}
      readOnly
      onClick={() => onToggle(row.id)}
      onKeyUp={(event) => {
        if (event.key !== ' ' || !checked) return;
        event.preventDefault();
        onToggle(row.id);
      }}
    />
  );
}

/** The column with the state of a visit, which is a badge. */
const status = 'Status';

function Cell({ row, column }: { row: LaunchContextRow; column: string }) {
  const text = cell(row, column);
  if (column !== status || text === '') return <span>{text}</span>;
  return <Badge tone={text === 'In progress' ? 'good' : 'neutral'}>{text}</Badge>;
}

function cell(row: LaunchContextRow, column: string): string {
  return display(row.properties[column] ?? '');
}

/** A row without a name still has to be distinguished from others. */
function titleOf(row: LaunchContextRow, column: string): string {
  return cell(row, column) || row.id;
}
