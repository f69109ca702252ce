import { CloseOutlined, SearchOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { Fragment, type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { longestPaletteTerm } from '../../../../src/contract/rules/lists.js';
import { useOpenedRowsQuery, usePaletteMatchesQuery } from '../../api/palette.js';
import { openedRows } from '../../shared/browser/opened-rows.js';
import { numeral } from '../../shared/i18n/language.js';
import type { Entry } from './entries.js';
import styles from './palette.module.css';
import { type Group, useGroups } from './use-groups.js';
import './words/en.js';

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
  const list = useRef<HTMLDivElement>(null);
  const { groups, words, isAnswered, hasFailed } = useFound(text);
  const entries = groups.flatMap((group) => group.entries);
  // The answer may bring entries before the first one.
  const isFirstKnown = isAnswered || groups[0]?.isKnown === true;
  const choice = useChoice(entries, { isAnswered, isFirstKnown }, onClose);
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each entry that becomes the current one
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [choice.chosen]);

  const none = entries.length === 0;
  const numbers = { count: entries.length, number: numeral(entries.length) };
  const noneText = isAnswered ? t(words.length === 0 ? 'palette.empty' : 'palette.none') : t('palette.searching');
  const line = none ? noneText : '';
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
          {...(!none && { 'aria-activedescendant': `${id}-${choice.current}` })}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          onChange={({ target }) => {
            setText(target.value);
            choice.choose(null);
          }}
          onKeyDown={choice.onKeyDown}
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
      <Options
        list={list}
        id={id}
        groups={groups}
        words={words}
        current={choice.current}
        isBusy={!isAnswered}
        onPoint={choice.point}
        onAct={choice.act}
      />
      {hasFailed && <p className={styles.line}>{t('palette.failed')}</p>}
      {line && !hasFailed && <p className={styles.line}>{line}</p>}
      <span className="visually-hidden" role="status">
        {isAnswered && (none ? line : t('palette.results', numbers))}
        {hasFailed && ` ${t('palette.failed')}`}
      </span>
      <KeyHints />
    </>
  );
}

interface Answers {
  isAnswered: boolean;
  /** No later answer brings an entry before the first one. */
  isFirstKnown: boolean;
}

/** The current entry, the keys that move it, and Enter, which waits until the first entry is known. */
function useChoice(entries: Entry[], { isAnswered, isFirstKnown }: Answers, onClose: () => void) {
  /** By an arrow key or the pointer; else the first one is current. */
  const [chosen, setChosen] = useState<string | null>(null);
  /** Enter was pressed before the first entry was known. */
  const [entered, setEntered] = useState(false);
  const found = entries.findIndex(({ key }) => key === chosen);
  const current = Math.max(0, found);

  const act = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.act();
  };
  const latest = useRef(act);
  latest.current = act;
  const first = entries[0];
  useEffect(() => {
    if (!entered || !isAnswered) return;
    setEntered(false);
    latest.current(first);
  }, [entered, isAnswered, first]);

  const choose = (key: string | null) => {
    setChosen(key);
    setEntered(false);
  };
  const move = (to: number) => choose(entries.at(to % Math.max(1, entries.length))?.key ?? null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      Home: () => move(0),
      End: () => move(-1),
      Enter: () => (found < 0 && !isFirstKnown ? setEntered(true) : act(entries[current])),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };
  return { current, chosen, choose, point: setChosen, act, onKeyDown };
}

interface OptionsProps {
  list: RefObject<HTMLDivElement | null>;
  /** Begins the ids of the elements. */
  id: string;
  groups: Group[];
  words: readonly string[];
  /** The index of the current entry. */
  current: number;
  isBusy: boolean;
  onPoint: (key: string) => void;
  onAct: (entry: Entry) => void;
}

/** The entries in their groups. */
function Options({ list, id, groups, words, current, isBusy, onPoint, onAct }: OptionsProps) {
  const { t } = useTranslation();
  const entries = groups.flatMap((group) => group.entries);
  return (
    <div
      ref={list}
      id={`${id}-list`}
      className={styles.list}
      role="listbox"
      aria-label={t('palette.title')}
      aria-busy={isBusy}
    >
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox has groups of this role
        <div key={group.key} role="group" aria-labelledby={`${id}-${group.key}`}>
          <div id={`${id}-${group.key}`} className={styles.group}>
            <bdi>{group.title}</bdi>
          </div>
          {group.entries.map((entry) => {
            const index = entries.indexOf(entry);
            const isCurrent = index === current;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are heard by the field, which keeps the focus
              // biome-ignore lint/a11y/useFocusableInteractive: see above
              <div
                key={entry.key}
                id={`${id}-${index}`}
                className={styles.option}
                role="option"
                aria-selected={isCurrent}
                onMouseDown={(event) => event.preventDefault()}
                onMouseMove={() => !isCurrent && onPoint(entry.key)}
                onClick={() => onAct(entry)}
              >
                <Option entry={entry} words={words} isCurrent={isCurrent} />
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function Option({ entry, words, isCurrent }: { entry: Entry; words: readonly string[]; isCurrent: boolean }) {
  const { t } = useTranslation();
  return (
    <>
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
    </>
  );
}

function KeyHints() {
  const { t } = useTranslation();
  return (
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

/** The entries for a text. An answer to an earlier text counts until there is one to this. */
function useFound(text: string) {
  const [order] = useState(openedRows);
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
  return { groups, words, isAnswered, hasFailed };
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
