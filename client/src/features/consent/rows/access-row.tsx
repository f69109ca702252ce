import { DownOutlined, ExclamationCircleOutlined, LockOutlined, UpOutlined } from '@ant-design/icons';
import { Checkbox } from 'antd';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { type AccessRow, allLeaves, changes, sees } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { AccessChips } from '../../../shared/ui/marks/access-chips.js';
import { Badge } from '../../../shared/ui/marks/badge.js';
import { areAllPartlyPrivate, type Choosing, isPartlyPrivate } from '../choosing.js';
import styles from '../consent-page.module.css';
import { actionsOf, tickOf, tickRow } from '../selection/selection.js';

/** More kinds below everything stand behind a button. */
const mostAtOnce = 8;

interface Props {
  row: AccessRow;
  /** The row that it is a part of. */
  parent?: AccessRow;
  page: Choosing;
  /** Takes the place of the words for the row. */
  text?: { title?: string; description?: string | undefined };
}

/** A row that can be ticked: the whole row is the label of its checkbox; the arrow unfolds its parts. */
export function Row({ row, parent, page, text }: Props) {
  const { t } = useTranslation();
  const { choice, selection, locked } = page;
  const tick = tickOf(choice, selection, row);
  const isEverything = row.subject.is === 'everything';
  const [open, setOpen] = useState(isEverything || tick === 'some');
  const id = useId();
  const title = text?.title ?? page.titles.get(row.key) ?? '';
  const parts = row.children.length;
  return (
    <>
      <div className={`${styles.line} ${parent && parent.subject.is !== 'everything' ? styles.part : ''}`}>
        <Checkbox
          className={styles.row ?? ''}
          checked={tick === 'all'}
          indeterminate={tick === 'some'}
          disabled={allLeaves(row).every((leaf) => locked.has(leaf))}
          onChange={({ target }) => page.onSelect(tickRow(choice, selection, { row, parent, locked }, target.checked))}
        >
          <RowText {...{ row, parent, page, text, title, open }} />
        </Checkbox>
        {parts > 0 && (
          <button
            type="button"
            className={styles.unfold}
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            aria-label={t('consent.unfold', { kind: title })}
            onClick={() => setOpen(!open)}
          >
            {open ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
          </button>
        )}
      </div>
      {parts > 0 && open && (
        <fieldset id={id} aria-label={title} className={isEverything ? styles.kinds : styles.parts}>
          <Children row={row} page={page} />
        </fieldset>
      )}
    </>
  );
}

/** Parts that the app named stand first; of many others some are shown at first. */
function Children({ row, page }: Pick<Props, 'row' | 'page'>) {
  const { t } = useTranslation();
  const [all, setAll] = useState(row.children.length <= mostAtOnce + 1);
  const shown = all || row.subject.is !== 'everything' ? row.children : row.children.slice(0, mostAtOnce);
  const rest = row.children.length - shown.length;
  return (
    <>
      {shown.map((child) => (
        <Row key={child.key} row={child} parent={row} page={page} />
      ))}
      {rest > 0 && (
        <button
          type="button"
          className={styles.more}
          onClick={({ currentTarget }) => {
            const list = currentTarget.parentElement;
            flushSync(() => setAll(true));
            // The button is gone: the focus goes to the first of what it showed.
            list?.querySelectorAll<HTMLInputElement>(':scope > div input')[shown.length]?.focus();
          }}
        >
          {t('consent.showKinds', { count: rest })}
        </button>
      )}
    </>
  );
}

function RowText({ row, parent, page, text, title, open }: Props & { title: string; open: boolean }) {
  const { t } = useTranslation();
  const { selection, locked, words } = page;
  const isKind = !parent || parent.subject.is === 'everything';
  const isLocked = allLeaves(row).every((leaf) => locked.has(leaf));
  const actions = isKind && row.subject.is !== 'change' ? actionsOf(selection, row) : '';
  const isUsual = parent?.subject.is === 'everything' && sees(actions) && !changes(actions) && !parent.change;
  const status = statusOf(row, page);
  const description = text?.description ?? words.description(row);
  const showsScope = page.technical || (row.subject.is === 'other' && row.children.length === 0);
  return (
    <>
      <span className={styles.texts}>
        <span className={row.subject.is === 'scope' && title === row.subject.scope ? styles.mono : styles.rowTitle}>
          {title}
        </span>
        {(status ?? description) && (
          <span
            className={`${styles.description} ${status || !isKind || isTelling(row) ? '' : styles.wide}`}
            aria-live={status ? 'polite' : undefined}
          >
            {status ?? description}
          </span>
        )}
        {isPartlyPrivate(page, row) && !areAllPartlyPrivate(page) && (
          <span className={styles.description}>{t('consent.acting.partly')}</span>
        )}
        <SensitiveMark {...{ row, page, open }} />
        {showsScope && row.scopes.map((scope) => <ScopeName key={scope} scope={scope} sources={page.sources} />)}
      </span>
      <span className={styles.marks}>
        {isLocked && <Badge icon={<LockOutlined aria-hidden />}>{t('consent.required')}</Badge>}
        <AccessChips
          actions={actions}
          type={'type' in row.subject ? row.subject.type : ''}
          className={isUsual ? styles.usualChips : styles.chips}
        />
      </span>
    </>
  );
}

/** The scope of a row; of one that the app did not request itself, the requested scope that it is a part of. */
function ScopeName({ scope, sources }: { scope: string; sources: Choosing['sources'] }) {
  const { t } = useTranslation();
  const requested = sources.get(scope);
  return (
    <>
      <code className={styles.technical}>{scope}</code>
      {requested && (
        <span className={styles.technical}>
          {t('consent.comesFrom')} <code>{requested.join(' ')}</code>
        </span>
      )}
    </>
  );
}

/** True if the words say more than the title and the chips, on a phone too. */
function isTelling({ subject, change, children }: AccessRow): boolean {
  if (subject.is === 'kind')
    return subject.partly || (change && !children.some((child) => child.subject.is === 'change'));
  return subject.is !== 'everything';
}

/** The number of ticked parts of a row that is ticked in part. */
function statusOf(row: AccessRow, { choice, selection, t }: Choosing): string | undefined {
  if (row.children.length === 0 || tickOf(choice, selection, row) !== 'some') return undefined;
  if (row.subject.is === 'everything') return t('consent.everythingOff');
  const count = row.children.filter((child) => tickOf(choice, selection, child) !== 'none').length;
  return t('consent.selected', { count, total: row.children.length });
}

/** With a word, never by colour alone. A row that is open leaves it to its parts. */
function SensitiveMark({ row, page, open }: Pick<Props, 'row' | 'page'> & { open: boolean }) {
  const { t } = useTranslation();
  const { whole, partly } = page.sensitive;
  const leaves = allLeaves(row);
  const isMarked = (leaf: string) => whole.has(leaf) || partly.has(leaf);
  const isShownBelow = open && row.children.some((child) => allLeaves(child).some(isMarked));
  if (leaves.length === 0 || !leaves.some(isMarked) || isShownBelow || row.subject.is === 'change') return null;
  const isWhole = leaves.every((leaf) => whole.has(leaf));
  return (
    <span className={`${styles.sensitive} ${isWhole ? '' : styles.partly}`}>
      <ExclamationCircleOutlined aria-hidden />
      {t(isWhole ? 'consent.sensitive' : 'consent.includesSensitive')}
    </span>
  );
}
