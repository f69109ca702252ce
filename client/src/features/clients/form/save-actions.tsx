import { Button, Switch } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './edit-client.module.css';
import './words/en.js';

/** The state of the form that the frame around it shows. */
export interface FormProgress {
  saving: boolean;
  /** Fields with unsaved values. */
  changes: number;
  /** Conflicts that wait for a decision. */
  undecided: number;
}

export const untouched: FormProgress = { saving: false, changes: 0, undecided: 0 };
export const editFormId = 'edit-client';

/** The buttons of the form; what is unsaved or undecided stands before them. */
export function SaveActions({
  progress: { saving, changes, undecided },
  onDiscard,
}: {
  progress: FormProgress;
  onDiscard: () => void;
}) {
  const { t } = useTranslation();
  const notes = [
    changes > 0 && t('clientEdit.changes', { count: changes }),
    undecided > 0 && t('clientEdit.undecided', { count: undecided }),
  ];
  return (
    <>
      <span className={styles.progress}>{notes.filter(Boolean).join(', ')}</span>
      <Button onClick={onDiscard}>{t('clients.discardChanges')}</Button>
      <Button type="primary" htmlType="submit" form={editFormId} loading={saving} disabled={undecided > 0}>
        {t('common.save')}
      </Button>
    </>
  );
}

/** In the head of the sheet. */
export function OnlyDiffering({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <span className={styles.only}>
      <Switch id={id} checked={on} onChange={onChange} />
      <label htmlFor={id}>{t('clientEdit.onlyDiffering')}</label>
    </span>
  );
}
