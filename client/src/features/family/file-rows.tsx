import { CheckCircleFilled, CloseOutlined, FileTextOutlined, PlusOutlined } from '@ant-design/icons';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { longestFile, mostFiles } from '../../../../src/contract/rules/request-files.js';
import { formErrors } from '../../api/failures/form-errors.js';
import { sendFile, useDiscardFileMutation } from '../../api/own-record/requests.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { fileSize, percent } from '../../shared/i18n/sizes.js';
import styles from './request.module.css';

/** A file in its row: it is being sent, was sent, or was refused. */
export interface FileRow {
  key: number;
  name: string;
  bytes: number;
  part: number;
  /** Once it was sent. */
  id?: string;
  errors?: string[];
}

/** The files of a form, each sent as soon as it was chosen. One that fails says so in its row; the others stay. */
export function useFileRows() {
  const { t } = useTranslation();
  const [rows, setRows] = useState<FileRow[]>([]);
  const [discard] = useDiscardFileMutation();
  const next = useRef(0);
  const change = (key: number, changes: Partial<FileRow>) =>
    setRows((before) => before.map((row) => (row.key === key ? { ...row, ...changes } : row)));

  const add = async (file: File) => {
    const key = next.current++;
    const row = { key, name: file.name, bytes: file.size, part: 0 };
    if (file.size > longestFile) {
      setRows((before) => [...before, { ...row, errors: [t('family.fileTooLarge')] }]);
      return;
    }
    setRows((before) => [...before, row]);
    const sent = await sendFile(file, '', (part) => change(key, { part }));
    if ('file' in sent) change(key, { part: 1, id: sent.file.id });
    else {
      const { fields, form } = formErrors(sent.error, ['file']);
      change(key, { errors: [...(fields.file ?? []), ...form] });
    }
  };
  const remove = ({ key, id }: FileRow) => {
    setRows((before) => before.filter((row) => row.key !== key));
    if (id !== undefined) void discard(id);
  };
  const isSending = rows.some(({ id, errors }) => id === undefined && errors === undefined);
  return { rows, add, remove, isSending, ids: rows.flatMap(({ id }) => id ?? []) };
}

/** Opens the browser's choice of a file, or of a picture from its camera. */
function choose(add: (file: File) => unknown): void {
  const chooser = document.createElement('input');
  chooser.type = 'file';
  chooser.accept = 'application/pdf,image/jpeg,image/png';
  chooser.onchange = () => {
    const [file] = chooser.files ?? [];
    if (file) add(file);
  };
  chooser.click();
}

/** The rows, and the one that adds a file: from the camera of a phone as well. */
export function FileRows({ rows, add, remove, label }: ReturnType<typeof useFileRows> & { label: string }) {
  const { t } = useTranslation();
  const counted = rows.filter(({ errors }) => errors === undefined).length;
  return (
    <ul className={styles.files} aria-label={label}>
      {rows.map((row) => (
        <Row key={row.key} row={row} onRemove={() => remove(row)} />
      ))}
      {counted < mostFiles && (
        <li>
          <button type="button" className={styles.addFile} onClick={() => choose(add)}>
            <PlusOutlined aria-hidden />
            {t('family.addFile')}
          </button>
        </li>
      )}
    </ul>
  );
}

function Row({ row, onRemove }: { row: FileRow; onRemove: () => void }) {
  const { t } = useTranslation();
  const { name, bytes, part, id, errors } = row;
  const isSent = id !== undefined;
  const state = isSent
    ? t('family.fileSent', { name: isolateName(name) })
    : t('family.fileSending', { name: isolateName(name), percent: percent(part) });
  return (
    <li className={styles.file}>
      <FileTextOutlined aria-hidden />
      <span className={styles.fileName}>
        <bdi>{name}</bdi>
        <span>{fileSize(bytes)}</span>
        {!isSent && !errors && <progress value={part} max={1} aria-label={state} />}
        {errors && (
          <span role="alert" className={styles.fileError}>
            {errors.join(' ')}
          </span>
        )}
      </span>
      {isSent && (
        <span role="status" className={styles.fileDone}>
          <CheckCircleFilled aria-hidden />
          <span className="visually-hidden">{state}</span>
        </span>
      )}
      <button
        type="button"
        className={styles.removeFile}
        aria-label={t('family.removeFile', { name: isolateName(name) })}
        onClick={onRemove}
      >
        <CloseOutlined aria-hidden />
      </button>
    </li>
  );
}
