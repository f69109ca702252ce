import './words/en.js';
import { DownloadOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import TextArea from 'antd/es/input/TextArea';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { csvHead } from '../../../../../src/contract/rules/csv.js';
import { importColumns, mostImported } from '../../../../../src/contract/rules/users/user-import.js';
import type { ImportCheck } from '../../../../../src/contract/users/user-import.js';
import { formErrors, hasPageOfItsOwn } from '../../../api/failures/form-errors.js';
import { useSettings } from '../../../api/settings.js';
import { useBeginImportMutation, useCheckImportMutation } from '../../../api/users/user-import.js';
import { randomId } from '../../../shared/browser/random-id.js';
import { numeral, plainList } from '../../../shared/i18n/language.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import styles from './import-dialog.module.css';
import { mostBytes, readFile, saveCsv } from './import-file.js';
import { RunningImport } from './running-import.js';
import { WrongLines } from './wrong-lines.js';

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
    if (hasPageOfItsOwn(error)) return;
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
        <RunningImport id={running} onClose={onClose}>
          {checked && <WrongLines check={checked.check} />}
        </RunningImport>
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
  const { mailWaits } = useSettings();
  const { fresh, known, ignored } = check;
  const freshText = mailWaits ? 'userImport.freshByHand' : 'userImport.fresh';
  const numbers = (count: number) => ({ count, number: numeral(count) });
  const heading = useRef<HTMLDivElement>(null);
  // The field that had the focus has gone.
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <div ref={heading} className={styles.outcome} role="status" tabIndex={-1}>
        <p>{fresh === 0 ? t('userImport.noneFresh') : t(freshText, numbers(fresh))}</p>
        {fresh > 0 && mailWaits && <p>{t('userImport.byHand')}</p>}
        {known.length > 0 && <p>{t('userImport.known', numbers(known.length))}</p>}
        {check.wrong.length > 0 && <p>{t('userImport.wrong', numbers(check.wrong.length))}</p>}
        {ignored.length > 0 && <p>{t('userImport.ignored', { columns: plainList(ignored) })}</p>}
        {isWindows && <p>{t('userImport.windows')}</p>}
      </div>
      <WrongLines check={check} />
    </>
  );
}
