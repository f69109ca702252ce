import { Button } from 'antd';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import styles from './account-settings.module.css';
import { Row } from './row.js';

/** A value that turns into a form in its place, and back. */
export function EditableRow({
  label,
  value,
  action,
  actionLabel,
  startsOpen = false,
  form,
}: {
  label: string;
  value: ReactNode;
  action: string;
  /** The button's name for screen readers: `action` alone does not say what is changed. */
  actionLabel: string;
  startsOpen?: boolean;
  form: (close: () => void) => ReactNode;
}) {
  const { editing, opener, open, close } = useEditing(startsOpen);
  if (editing) return form(close);
  return (
    <Row
      label={label}
      value={value}
      action={
        <Button ref={opener} type="link" className={styles.link} aria-label={actionLabel} onClick={open}>
          {action}
        </Button>
      }
    />
  );
}

/** The end of such a form. */
export function EditActions({
  errors,
  saving,
  disabled,
  onCancel,
}: {
  errors: string[];
  saving: boolean;
  disabled: boolean;
  onCancel: () => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      <ErrorList errors={errors} />
      <div className={styles.buttons}>
        <Button type="primary" htmlType="submit" loading={saving} disabled={disabled}>
          {t('common.save')}
        </Button>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
      </div>
    </>
  );
}

/** The focus comes back to the button that opened it. */
function useEditing(atFirst = false): {
  editing: boolean;
  opener: RefObject<HTMLButtonElement | null>;
  open: () => void;
  close: () => void;
} {
  const [editing, setEditing] = useState(atFirst);
  const opener = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(atFirst);
  useEffect(() => {
    if (wasEditing.current && !editing) opener.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  return { editing, opener, open: () => setEditing(true), close: () => setEditing(false) };
}
