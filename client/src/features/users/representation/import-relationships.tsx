import { Button } from 'antd';
import TextArea from 'antd/es/input/TextArea';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RelationshipImport } from '../../../../../src/contract/representation/import.js';
import {
  mostRelationships,
  relationshipColumns,
} from '../../../../../src/contract/rules/representation/relationship-import.js';
import { formErrors, hasPageOfItsOwn, notifyFailure } from '../../../api/failures/form-errors.js';
import { useExportRelationshipsMutation, useImportRelationshipsMutation } from '../../../api/users/representation.js';
import { numeral } from '../../../shared/i18n/language.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import importStyles from '../import/import-dialog.module.css';
import { readFile, saveCsv } from '../import/import-file.js';
import { WrongLines } from '../import/wrong-lines.js';
import styles from './representation.module.css';

export interface ImportRelationshipsProps {
  open: boolean;
  onClose: () => void;
}

/** Relationships from a CSV file: checked first; what the age rules do not allow is only proposed. */
export function ImportRelationships({ open, onClose }: ImportRelationshipsProps) {
  const { t } = useTranslation();
  const id = useId();
  const [csv, setCsv] = useState('');
  const [errors, setErrors] = useState<string[]>([]);
  const [answer, setAnswer] = useState<RelationshipImport | null>(null);
  const [send, { isLoading }] = useImportRelationshipsMutation();
  const [download, { isLoading: isExporting }] = useExportRelationshipsMutation();

  const run = async (dryRun: boolean) => {
    setErrors([]);
    const { data, error } = await send({ csv, dryRun });
    if (data) return setAnswer(data);
    if (!hasPageOfItsOwn(error)) setErrors(formErrors(error).form);
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    setErrors([]);
    await readFile(file).then(
      (read) => setCsv(read.csv),
      () => setErrors([t('userImport.unreadable')]),
    );
  };
  const save = async () => {
    const { data, error } = await download();
    if (data === undefined) notifyFailure(error);
    else saveCsv('representation.csv', data);
  };
  const close = () => {
    onClose();
    setAnswer(null);
  };
  const wanted = answer?.lines.filter(({ becomes }) => becomes !== 'known').length ?? 0;
  return (
    <Dialog open={open} title={t('representation.importTitle')} width={720} onClose={close}>
      {answer ? (
        <Outcome answer={answer} />
      ) : (
        <div className={importStyles.fields}>
          <p>{t('representation.importLead', { lines: numeral(mostRelationships) })}</p>
          <Button loading={isExporting} onClick={save}>
            {t('representation.export')}
          </Button>
          <label htmlFor={`${id}-file`}>{t('userImport.file')}</label>
          <input
            id={`${id}-file`}
            className={importStyles.file}
            type="file"
            accept=".csv,.txt,.tsv,text/csv,text/plain"
            onChange={({ target }) => take(target.files?.[0])}
          />
          <label htmlFor={`${id}-text`}>{t('userImport.paste')}</label>
          <TextArea
            id={`${id}-text`}
            className={importStyles.text}
            value={csv}
            rows={6}
            spellCheck={false}
            autoComplete="off"
            placeholder={relationshipColumns.join(',')}
            onChange={({ target }) => setCsv(target.value)}
          />
          <p>{t('userImport.nothingYet')}</p>
        </div>
      )}
      <ErrorList errors={errors} />
      <div className={styles.buttons}>
        {answer?.dryRun !== true && <Button onClick={close}>{t('representation.close')}</Button>}
        {answer?.dryRun === true && <Button onClick={() => setAnswer(null)}>{t('userImport.back')}</Button>}
        {answer?.dryRun === true && (
          <Button type="primary" disabled={wanted === 0} loading={isLoading} onClick={() => run(false)}>
            {t('representation.importNow', { count: wanted, number: numeral(wanted) })}
          </Button>
        )}
        {!answer && (
          <Button type="primary" disabled={csv.trim() === ''} loading={isLoading} onClick={() => run(true)}>
            {t('userImport.check')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** The planned or done results of the lines. */
function Outcome({ answer }: { answer: RelationshipImport }) {
  const { t } = useTranslation();
  const { dryRun, lines, wrong } = answer;
  const counted = (['active', 'proposed', 'known'] as const)
    .map((becomes) => ({ becomes, count: lines.filter((line) => line.becomes === becomes).length }))
    .filter(({ count }) => count > 0);
  return (
    <>
      <div className={importStyles.outcome} role="status">
        {counted.map(({ becomes, count }) => (
          <p key={becomes}>
            {t(`representation.${dryRun ? 'becomes' : 'became'}.${becomes}`, { count, number: numeral(count) })}
          </p>
        ))}
        {wrong.length > 0 && <p>{t('userImport.wrong', { count: wrong.length, number: numeral(wrong.length) })}</p>}
      </div>
      <WrongLines check={answer} />
    </>
  );
}
