import { ExclamationCircleFilled, LockOutlined, WarningFilled } from '@ant-design/icons';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import styles from '../form.module.css';
import { useClientFormState } from '../state/use-client-form.js';
import { FieldMarks, FieldNotes } from './field-notes.js';
import '../words/en.js';

/** The ids that tie a control to its label, its help and its problems. */
export interface Control {
  id: string;
  'aria-describedby': string;
  'aria-invalid': boolean;
}

interface FieldProps {
  /** As problems name it: `clientName`, `redirectUris.0`. */
  place: string;
  label: ReactNode;
  /** For a row under a heading that says as much. */
  labelHidden?: boolean;
  optional?: boolean;
  help?: ReactNode;
  /** The problem to show, if it is more than the problem of exactly this field path. */
  problem?: string | undefined;
  /** The reason why it cannot be changed. */
  locked?: string | undefined;
  children: (control: Control) => ReactNode;
}

/** One field with its label above; below it its help, what is wrong, and what deserves a second look. */
export function Field({ place, label, labelHidden, optional, help, locked, children, ...rest }: FieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const { control, below } = useSaid(place, id, rest.problem, help);
  return (
    <div className={styles.field} data-place={place}>
      <div className={labelHidden ? 'visually-hidden' : styles.labelRow}>
        <label htmlFor={id} className={styles.label}>
          {label} {optional && <span className={styles.optional}>{t('clientForm.optional')}</span>}
        </label>
        <FieldMarks place={place} />
        {locked && <Locked reason={locked} />}
      </div>
      {children(control)}
      {below}
      <FieldNotes place={place} />
    </div>
  );
}

/** Several controls under one label. */
export function FieldGroup({
  place,
  label,
  optional,
  help,
  locked,
  problem,
  children,
}: Omit<FieldProps, 'labelHidden'>) {
  const { t } = useTranslation();
  const id = useId();
  const { control, below } = useSaid(place, id, problem, help);
  return (
    <fieldset className={styles.group} data-place={place} aria-describedby={control['aria-describedby']}>
      <legend className={styles.labelRow}>
        <span className={styles.label}>
          {label} {optional && <span className={styles.optional}>{t('clientForm.optional')}</span>}
        </span>
        <FieldMarks place={place} />
        {locked && <Locked reason={locked} />}
      </legend>
      {children(control)}
      {below}
      <FieldNotes place={place} />
    </fieldset>
  );
}

/** Title and help on the left, the switch on the right. */
export function SwitchRow({ place, label, help, locked, children }: Omit<FieldProps, 'labelHidden' | 'optional'>) {
  const id = useId();
  const { control, below } = useSaid(place, id, undefined, help);
  return (
    <div className={styles.switchRow} data-place={place}>
      <div>
        <span className={styles.switchLabel}>
          <label htmlFor={id} className={styles.label}>
            {label}
          </label>
          <FieldMarks place={place} />
        </span>
        {below}
        {locked && <Locked reason={locked} />}
        <FieldNotes place={place} />
      </div>
      {children(control)}
    </div>
  );
}

function useSaid(place: string, id: string, problem: string | undefined, help: ReactNode) {
  const { problemAt } = useClientFormState();
  const wrong = problem ?? problemAt(place);
  const control: Control = { id, 'aria-describedby': `${id}-notes`, 'aria-invalid': wrong !== undefined };
  const below = (
    <div id={`${id}-notes`}>
      {help && <p className={styles.help}>{help}</p>}
      <div role="alert">{wrong && <Wrong>{wrong}</Wrong>}</div>
      <Warnings place={place} />
    </div>
  );
  return { control, below };
}

export function Warnings({ place }: { place: string }) {
  const { warningsAt } = useClientFormState();
  return warningsAt(place).map((warning) => (
    <p key={warning} className={`${styles.message} ${styles.warning}`} role="status">
      <WarningFilled aria-hidden />
      {warning}
    </p>
  ));
}

export function Wrong({ children }: { children: ReactNode }) {
  return (
    <p className={styles.message}>
      <ExclamationCircleFilled aria-hidden />
      {children}
    </p>
  );
}

function Locked({ reason }: { reason: string }) {
  return (
    <span className={styles.reason}>
      <LockOutlined aria-hidden /> {reason}
    </span>
  );
}
