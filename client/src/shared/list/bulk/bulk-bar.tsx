import { CloseOutlined, DownOutlined } from '@ant-design/icons';
import { Button, Dropdown } from 'antd';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BulkProgress } from '../../../../../src/contract/clients/bulk.js';
import { t } from '../../i18n/i18n.js';
import { numeral } from '../../i18n/language.js';
import { offerActions } from '../../offered-actions.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { Name } from '../../ui/text/name.js';
import styles from './bulk-bar.module.css';
import type { Selection } from './selection.js';
import './words/en.js';

export const bulkBarId = 'bulk-bar';

export interface BulkAction {
  key: string;
  label: string;
  icon: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  act: () => void;
}

/** The facts about a list that the actions for its selection need. */
export interface BulkPlace<Row> {
  selection: Selection<Row>;
  /** The number of rows that the search and the filters find. */
  total: number;
  /** They find more than `total`. */
  more: boolean;
  /** A panel stands next to the list. */
  pushed: boolean;
  /** There is no space for all actions side by side. */
  compact: boolean;
}

/** At the bottom of the window while rows are selected: how many, and what can be done with them. */
export function BulkBar<Row>({
  place: { selection, total, more, pushed, compact },
  summary,
  actions,
  running,
  onCancel,
  result,
}: {
  place: BulkPlace<Row>;
  summary?: ReactNode;
  /** Actions that destroy come first. */
  actions: BulkAction[];
  /** The progress of the running action; the total is unknown at first. */
  running: { done: number; total: number } | null;
  onCancel?: (() => void) | undefined;
  /** The last action, of which some failed. */
  result: BulkProgress | null;
}) {
  const { t } = useTranslation();
  const first = actions.find(({ danger }) => !danger);
  const title = selectedText(selection, more);
  // For the palette, too, with what they do now.
  useEffect(() => (running ? undefined : offerActions({ title, actions })));
  const numbers = (done: number, of: number) => ({ done: numeral(done), total: numeral(of) });
  return (
    <section
      id={bulkBarId}
      className={pushed ? `${styles.bar} ${styles.pushed}` : styles.bar}
      aria-label={t('bulk.selection')}
    >
      <Button type="text" icon={<CloseOutlined aria-hidden />} aria-label={t('bulk.clear')} onClick={selection.clear} />
      <strong>{title}</strong>
      {!selection.all && (more || selection.count < total) && (
        <button type="button" className={styles.link} onClick={selection.selectAll}>
          {more ? t('bulk.selectAllMore') : t('bulk.selectAll', { total: numeral(total) })}
        </button>
      )}
      {running ? (
        <span className={styles.note} role="status">
          {running.total > 0 ? t('bulk.working', numbers(running.done, running.total)) : t('bulk.begins')}
          {onCancel && (
            <Button
              type="text"
              icon={<CloseOutlined aria-hidden />}
              aria-label={t('bulk.cancelExport')}
              onClick={onCancel}
            />
          )}
        </span>
      ) : result && result.failed > 0 ? (
        <Failures result={result} />
      ) : (
        !compact && summary && <span className={styles.note}>{summary}</span>
      )}
      <span className={styles.actions}>
        {compact ? (
          <Dropdown
            trigger={['click']}
            placement="topRight"
            autoFocus
            menu={{
              items: actions.map(({ key, label, icon, danger = false, disabled = false }) => ({
                key,
                label,
                icon,
                danger,
                disabled: disabled || running !== null,
              })),
              onClick: ({ key }) => actions.find((one) => one.key === key)?.act(),
            }}
          >
            <Button data-first aria-haspopup="menu" icon={<DownOutlined aria-hidden />} iconPlacement="end">
              {t('bulk.actions')}
            </Button>
          </Dropdown>
        ) : (
          actions.map((action) => (
            <Button
              key={action.key}
              {...(action === first && { 'data-first': true })}
              {...(action.danger && { type: 'text', danger: true, className: styles.danger })}
              icon={action.icon}
              disabled={action.disabled ?? false}
              aria-disabled={running !== null}
              onClick={() => running === null && action.act()}
            >
              {action.label}
            </Button>
          ))
        )}
      </span>
    </section>
  );
}

/** The number of selected rows, for the bar and for screen readers. */
export function selectedText<Row>({ count, all }: Selection<Row>, more: boolean): string {
  return all && more
    ? t('bulk.selectedMore', { number: numeral(count) })
    : t('bulk.selected', { count, number: numeral(count) });
}

/** The rows that an action could not change, each with the reason. */
function Failures({ result: { failed, total, failures } }: { result: BulkProgress }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const left = failed - failures.length;
  return (
    <span className={styles.failed}>
      <span role="status">{t('bulk.failedOf', { failed: numeral(failed), total: numeral(total) })}</span>
      <button type="button" className={styles.link} onClick={() => setOpen(true)}>
        {t('bulk.show')}
      </button>
      <Dialog
        open={open}
        title={t('bulk.failedTitle')}
        onClose={() => setOpen(false)}
        actions={
          <Button type="primary" onClick={() => setOpen(false)}>
            {t('common.close')}
          </Button>
        }
      >
        <ul className={styles.failures}>
          {failures.map(({ id, name, reason }) => (
            <li key={id}>
              <Name>{name ?? id}</Name>
              <span>{t(`bulk.reasons.${reason}`)}</span>
            </li>
          ))}
        </ul>
        {left > 0 && t('bulk.failedMore', { number: numeral(left) })}
      </Dialog>
    </span>
  );
}
