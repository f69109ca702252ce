import '../../../shared/i18n/user-import-texts.js';
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import TextArea from 'antd/es/input/TextArea';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { csvHead, csvLine } from '../../../../../src/contract/rules/csv.js';
import { importColumns, mostImported } from '../../../../../src/contract/rules/users/user-import.js';
import type { ImportCheck, ImportProgress } from '../../../../../src/contract/users/user-import.js';
import { formErrors, isToldElsewhere } from '../../../api/failures/form-errors.js';
import {
  useBeginImportMutation,
  useCheckImportMutation,
  useImportProgressQuery,
} from '../../../api/users/user-import.js';
import { randomId } from '../../../shared/browser/random-id.js';
import { numeral } from '../../../shared/i18n/language.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import styles from './import-dialog.module.css';
import { mostBytes, readFile, saveCsv } from './import-file.js';

/** More are in the download only. */
const mostShown = 50;
const pollMs = 1000;

export interface ImportDialogProps {
  open: boolean;
  /** The id of the import that is under way or finished. */
  running: string | null;
  onBegun: (id: string) => void;
  onClose: () => void;
  afterClose: () => void;
}

/** Users from a CSV file: checked first, then created and invited by the server, whatever becomes of this page. */
export function ImportDialog({ open, running, onBegun, onClose, afterClose }: ImportDialogProps) {
  const { t } = useTranslation();
  const [csv, setCsv] = useState('');
  const [isWindows, setWindows] = useState(false);
  const [errors, setErrors] = useState<string[]>([]);
  /** The id is that of the import of this check, however often it is sent. */
  const [checked, setChecked] = useState<{ id: string; check: ImportCheck } | null>(null);
  const [ask, { isLoading: isChecking }] = useCheckImportMutation();
  const [begin, { isLoading: isBeginning }] = useBeginImportMutation();

  const take = async (file: File | undefined) => {
    if (!file) return;
    setErrors([]);
    if (file.size > mostBytes) return setErrors([t('userImport.tooLarge', { size: numeral(mostBytes / 1_000_000) })]);
    try {
      const read = await readFile(file);
      setCsv(read.csv);
      setWindows(read.isWindows);
    } catch {
      setErrors([t('userImport.unreadable')]);
    }
  };
  const refuse = (error: unknown) => {
    if (isToldElsewhere(error)) return;
    setErrors(formErrors(error).form);
  };
  const check = async () => {
    setErrors([]);
    const result = await ask(csv);
    if (result.data) setChecked({ id: randomId(), check: result.data });
    else refuse(result.error);
  };
  const start = async () => {
    if (!checked) return;
    setErrors([]);
    const result = await begin({ id: checked.id, csv });
    if (result.data) onBegun(checked.id);
    else refuse(result.error);
  };

  return (
    <Dialog open={open} title={t('userImport.title')} width={720} onClose={onClose} afterClose={afterClose}>
      {running ? (
        <Running id={running} check={checked?.check} onClose={onClose} />
      ) : checked ? (
        <>
          <Checked check={checked.check} isWindows={isWindows} />
          <ErrorList errors={errors} />
          <div className={styles.actions}>
            <Button onClick={() => setChecked(null)}>{t('userImport.back')}</Button>
            <Button type="primary" disabled={checked.check.fresh === 0} loading={isBeginning} onClick={start}>
              {t('userImport.import', { count: checked.check.fresh, number: numeral(checked.check.fresh) })}
            </Button>
          </div>
        </>
      ) : (
        <>
          <Chosen
            csv={csv}
            isWindows={isWindows}
            onFile={take}
            onText={(text) => {
              setCsv(text);
              setWindows(false);
            }}
          />
          <ErrorList errors={errors} />
          <div className={styles.actions}>
            <Button onClick={onClose}>{t('common.cancel')}</Button>
            <Button type="primary" disabled={csv.trim() === ''} loading={isChecking} onClick={check}>
              {t('userImport.check')}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function Chosen({
  csv,
  isWindows,
  onFile,
  onText,
}: {
  csv: string;
  isWindows: boolean;
  onFile: (file: File | undefined) => void;
  onText: (text: string) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <div className={styles.fields}>
      <p>{t('userImport.lead', { lines: numeral(mostImported) })}</p>
      <Button
        icon={<DownloadOutlined aria-hidden />}
        onClick={() => saveCsv('users-template.csv', csvHead(importColumns))}
      >
        {t('userImport.template')}
      </Button>
      <label htmlFor={`${id}-file`}>{t('userImport.file')}</label>
      <input
        id={`${id}-file`}
        className={styles.file}
        type="file"
        accept=".csv,.txt,.tsv,text/csv,text/plain"
        onChange={({ target }) => onFile(target.files?.[0])}
      />
      <label htmlFor={`${id}-text`}>{t('userImport.paste')}</label>
      <TextArea
        id={`${id}-text`}
        className={styles.text}
        value={csv}
        rows={6}
        spellCheck={false}
        autoComplete="off"
        placeholder={importColumns.join(',')}
        onChange={({ target }) => onText(target.value)}
      />
      {isWindows && <p role="status">{t('userImport.windows')}</p>}
      <p>{t('userImport.nothingYet')}</p>
    </div>
  );
}

/** The changes that the import would make. */
function Checked({ check, isWindows }: { check: ImportCheck; isWindows: boolean }) {
  const { t } = useTranslation();
  const { fresh, known, ignored } = check;
  const numbers = (count: number) => ({ count, number: numeral(count) });
  const heading = useRef<HTMLDivElement>(null);
  // The field that had the focus has gone.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <div ref={heading} className={styles.outcome} role="status" tabIndex={-1}>
        <p>{fresh === 0 ? t('userImport.noneFresh') : t('userImport.fresh', numbers(fresh))}</p>
        {known.length > 0 && <p>{t('userImport.known', numbers(known.length))}</p>}
        {check.wrong.length > 0 && <p>{t('userImport.wrong', numbers(check.wrong.length))}</p>}
        {ignored.length > 0 && <p>{t('userImport.ignored', { columns: ignored.join(', ') })}</p>}
        {isWindows && <p>{t('userImport.windows')}</p>}
      </div>
      <WrongLines check={check} />
    </>
  );
}

function WrongLines({ check: { header, wrong } }: { check: ImportCheck }) {
  const { t } = useTranslation();
  if (wrong.length === 0) return null;
  const textOf = ({ column, messages }: (typeof wrong)[number]['problems'][number]) =>
    `${column ? `${column}: ` : ''}${messages.map(translateMessage).join(' ')}`;
  const save = () => {
    const lines = wrong.map(({ cells, problems }) => csvLine([...cells, problems.map(textOf).join(' ')]));
    saveCsv('wrong-users.csv', csvHead([...header, t('userImport.problem')]) + lines.join(''));
  };
  return (
    <section className={styles.wrong} aria-label={t('userImport.wrongLines')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <ul tabIndex={0} aria-label={t('userImport.wrongLines')}>
        {wrong.slice(0, mostShown).map(({ line, problems }) => (
          <li key={line}>
            <strong>{t('userImport.line', { line })}</strong>
            {problems.map((problem) => (
              <bdi key={textOf(problem)}>{textOf(problem)}</bdi>
            ))}
          </li>
        ))}
      </ul>
      {wrong.length > mostShown && <p>{t('userImport.more', { number: numeral(wrong.length - mostShown) })}</p>}
      <Button icon={<DownloadOutlined aria-hidden />} onClick={save}>
        {t('userImport.download')}
      </Button>
    </section>
  );
}

function Running({ id, check, onClose }: { id: string; check: ImportCheck | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const [isOver, setOver] = useState(false);
  const { data, isError } = useImportProgressQuery(id, { pollingInterval: isOver ? 0 : pollMs });
  const isDone = data !== undefined && data.done === data.total;
  useEffect(() => setOver(isDone), [isDone]);
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  return (
    <>
      <div className={styles.outcome} role="status">
        {isDone ? (
          <Finished progress={data} />
        ) : isError ? (
          <p>{t('userImport.lost')}</p>
        ) : (
          data && <p>{t('userImport.running', { done: numeral(data.done), total: numeral(data.total) })}</p>
        )}
      </div>
      {data && (
        <progress
          className={styles.bar}
          value={data.done}
          max={Math.max(1, data.total)}
          aria-label={t('userImport.title')}
        />
      )}
      {check && <WrongLines check={check} />}
      <div className={styles.actions}>
        <Button ref={close} type="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      </div>
    </>
  );
}

function Finished({ progress: { created, known, refused } }: { progress: ImportProgress }) {
  const { t } = useTranslation();
  const numbers = (count: number) => ({ count, number: numeral(count) });
  return (
    <>
      <p>
        {t('userImport.finished')} {t('userImport.created', numbers(created))}
      </p>
      {known > 0 && <p>{t('userImport.knownMeanwhile', numbers(known))}</p>}
      {refused > 0 && <p>{t('userImport.refused', numbers(refused))}</p>}
    </>
  );
}
