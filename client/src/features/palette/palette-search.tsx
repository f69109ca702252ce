import { CloseOutlined, SearchOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Fragment, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { longestPaletteTerm } from '../../../../src/contract/rules/palette.js';
import { useOpenedRowsQuery, usePaletteMatchesQuery } from '../../api/palette.js';
import { openedRows } from '../../shared/browser/opened-rows.js';
import { numeral } from '../../shared/i18n/language.js';
import styles from './palette.module.css';
import { type Entry, useGroups } from './use-groups.js';

/** Pause in typing before the server is asked, in milliseconds. */
const pause = 120;

/** The text as the server accepts it: one line without control characters. */
const cleaned = (text: string) =>
  text
    .trim()
    .slice(0, longestPaletteTerm)
    .replace(/[\p{Cc}\p{Surrogate}]/gu, ' ')
    .trim();

/** A combobox with its list in groups (WAI-ARIA Authoring Practices, 'Editable Combobox With List Autocomplete'). */
export function PaletteSearch({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const id = useId();
  const [text, setText] = useState('');
  /** By an arrow key or the pointer; else the first one is current. */
  const [chosen, setChosen] = useState<string | null>(null);
  /** Enter was pressed before the first entry was known. */
  const [entered, setEntered] = useState(false);
  const [order] = useState(openedRows);
  const list = useRef<HTMLDivElement>(null);

  const wanted = cleaned(text);
  const term = useDelayed(wanted);
  const search = usePaletteMatchesQuery(term, { skip: term === '' });
  const ids = (as: 'client' | 'user') => order.filter((row) => row.as === as).map((row) => row.id);
  const opened = useOpenedRowsQuery({ client: ids('client'), user: ids('user') }, { skip: order.length === 0 });
  const isAnswered = wanted === '' ? !opened.isFetching : wanted === term && !search.isFetching;
  const hasFailed = isAnswered && wanted !== '' && search.isError;
  const words = wanted
    .toLocaleLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  const groups = useGroups(words, wanted === '' || hasFailed ? undefined : search.data, { order, rows: opened.data });
  const entries = groups.flatMap((group) => group.entries);
  const found = entries.findIndex(({ key }) => key === chosen);
  const current = Math.max(0, found);
  const optionId = (index: number) => `${id}-${index}`;

  const act = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  const enter = () => {
    // The answer may bring entries before this one.
    if (found < 0 && !isAnswered && !groups[0]?.isKnown) setEntered(true);
    else act(entries[current]);
  };
  const latest = useRef(act);
  latest.current = act;
  const first = entries[0];
  useEffect(() => {
    if (!entered || !isAnswered) return;
    setEntered(false);
    latest.current(first);
  }, [entered, isAnswered, first]);

  const move = (to: number) => {
    const entry = entries.at(to % Math.max(1, entries.length));
    setChosen(entry?.key ?? null);
    setEntered(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      Home: () => move(0),
      End: () => move(-1),
      Enter: enter,
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each entry that becomes the current one
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  const none = entries.length === 0;
  const numbers = { count: entries.length, number: numeral(entries.length) };
  const line = !isAnswered
    ? none
      ? t('palette.searching')
      : ''
    : none
      ? t(wanted === '' ? 'palette.empty' : 'palette.none')
      : '';
  let index = -1;
  return (
    <>
      <div className={styles.head}>
        <SearchOutlined aria-hidden />
        <input
          // The dialog takes the focus to it.
          // biome-ignore lint/a11y/noAutofocus: the palette is opened to be typed into
          autoFocus
          className={styles.input}
          role="combobox"
          type="text"
          value={text}
          maxLength={longestPaletteTerm}
          placeholder={t('palette.placeholder')}
          aria-label={t('palette.placeholder')}
          aria-autocomplete="list"
          aria-expanded={!none}
          aria-controls={`${id}-list`}
          {...(!none && { 'aria-activedescendant': optionId(current) })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          onChange={({ target }) => {
            setText(target.value);
            setChosen(null);
            setEntered(false);
          }}
          onKeyDown={onKeyDown}
        />
        <kbd className={styles.escape} aria-hidden>
          {t('palette.escapeKey')}
        </kbd>
        <Button
          type="text"
          className={styles.close}
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('common.close')}
          onClick={onClose}
        />
      </div>
      <div
        ref={list}
        id={`${id}-list`}
        className={styles.list}
        role="listbox"
        aria-label={t('palette.title')}
        aria-busy={!isAnswered}
      >
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox has groups of this role
          <div key={group.key} role="group" aria-labelledby={`${id}-${group.key}`}>
            <div id={`${id}-${group.key}`} className={styles.group}>
              <bdi>{group.title}</bdi>
            </div>
            {group.entries.map((entry) => {
              index += 1;
              const isCurrent = index === current;
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the field, which keeps the focus
                // biome-ignore lint/a11y/useFocusableInteractive: see above
                <div
                  key={entry.key}
                  id={optionId(index)}
                  className={styles.option}
                  role="option"
                  aria-selected={isCurrent}
                  onMouseDown={(event) => event.preventDefault()}
                  onMouseMove={() => !isCurrent && setChosen(entry.key)}
                  onClick={() => act(entry)}
                >
                  <span className={styles.icon}>{entry.icon}</span>
                  <span className={styles.texts}>
                    <bdi className={entry.isCode ? styles.codeTitle : styles.title}>
                      <Marked text={entry.title} words={words} />
                    </bdi>
                    {entry.detail && (
                      <bdi className={entry.detailIsCode ? styles.code : styles.detail}>
                        <Marked text={entry.detail} words={words} />
                      </bdi>
                    )}
                  </span>
                  {isCurrent && (
                    <kbd className={styles.enter} aria-hidden>
                      {t('palette.enterKey')}
                    </kbd>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {hasFailed && <p className={styles.line}>{t('palette.failed')}</p>}
      {line && !hasFailed && <p className={styles.line}>{line}</p>}
      <span className="visually-hidden" role="status">
        {isAnswered && (none ? line : t('palette.results', numbers))}
        {hasFailed && ` ${t('palette.failed')}`}
      </span>
      <div className={styles.foot} aria-hidden>
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {t('palette.move')}
        </span>
        <span>
          <kbd>{t('palette.enterKey')}</kbd> {t('palette.open')}
        </span>
        <span className={styles.anyTime}>
          {t('palette.anyTime')} <kbd>{/^(?:Mac|iP)/.test(navigator.platform) ? '⌘' : t('palette.controlKey')}</kbd>{' '}
          <kbd>K</kbd>
        </span>
      </div>
    </>
  );
}

/** The text with the words of the search marked. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  if (words.length === 0) return text;
  const pattern = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|');
  const parts = text.split(new RegExp(`(${pattern})`, 'iu'));
  // Every second part is a word.
  return parts.map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name
    index % 2 === 1 ? <mark key={index}>{part}</mark> : <Fragment key={index}>{part}</Fragment>,
  );
}

/** The text once it has not changed for a moment; an empty one at once. */
function useDelayed(text: string): string {
  const [delayed, setDelayed] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(text), text === '' ? 0 : pause);
    return () => clearTimeout(timer);
  }, [text]);
  return delayed;
}
