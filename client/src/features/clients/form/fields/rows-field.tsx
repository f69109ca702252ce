import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import styles from '../form.module.css';
import { useClientFormState } from '../state/use-client-form.js';
import { CodeInput } from './code-input.js';
import { Field, FieldGroup } from './field.js';
import '../words/en.js';

type TextList = 'redirectUris' | 'postLogoutRedirectUris' | 'requiredScopes' | 'defaultScopes';

/** A list of texts, one below the other, each with what is wrong with it. */
export function TextRows({ field, help, optional }: { field: TextList; help?: ReactNode; optional: boolean }) {
  const { t } = useTranslation();
  const { draft, set } = useClientFormState();
  const rows = draft[field];
  const { place, focusRow } = useRowFocus();
  const label = t(`clients.fields.${field}`);
  return (
    <FieldGroup place={field} label={label} optional={optional} help={help}>
      {() => (
        <div ref={place}>
          {rows.map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity, and no state of their own
            <div key={index} className={styles.row} data-row>
              <Field
                place={`${field}.${index}`}
                label={t('clientForm.rowOf', { label, number: index + 1 })}
                labelHidden
              >
                {(control) => (
                  <CodeInput
                    control={control}
                    value={text}
                    onChange={({ target }) => set(field, rows.with(index, target.value))}
                    onPressEnter={(event) => {
                      // It would submit the form.
                      event.preventDefault();
                      if (event.nativeEvent.isComposing || text.trim() === '') return;
                      focusRow(index + 1);
                      set(field, rows.toSpliced(index + 1, 0, ''));
                    }}
                    onPaste={(event) => {
                      const pasted = severalValues(event.clipboardData.getData('text'));
                      if (pasted.length < 2) return;
                      event.preventDefault();
                      // An empty row is filled; what stands in another one stays.
                      const [at, replaced] = text.trim() === '' ? [index, 1] : [index + 1, 0];
                      focusRow(at + pasted.length - 1);
                      set(field, rows.toSpliced(at, replaced, ...pasted));
                    }}
                  />
                )}
              </Field>
              <RemoveRow
                label={t('clientForm.removeRow', { label, number: index + 1 })}
                onClick={() => {
                  focusRow(index);
                  set(field, rows.toSpliced(index, 1));
                }}
              />
            </div>
          ))}
          <Button
            icon={<PlusOutlined aria-hidden />}
            onClick={() => {
              focusRow(rows.length);
              set(field, [...rows, '']);
            }}
          >
            {t(`clientForm.add.${field}`)}
          </Button>
        </div>
      )}
    </FieldGroup>
  );
}

/** A list as it stands in documents and code: one value a line or after a space, perhaps in quotes and with commas. */
function severalValues(text: string): string[] {
  return text
    .split(/\s+/)
    .map((value) => value.replace(/^["',;]+|["',;]+$/g, ''))
    .filter((value) => value !== '');
}

export function RemoveRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button
      type="text"
      className={styles.remove}
      icon={<DeleteOutlined aria-hidden />}
      aria-label={label}
      onClick={onClick}
    />
  );
}

/** The control of a field that takes the focus: never the button that removes a row, if there is any other. */
export function controlIn(field: Element | null | undefined): HTMLElement | null | undefined {
  return field?.querySelector<HTMLElement>('input, textarea') ?? field?.querySelector('button');
}

/** The focus goes to a row that was added, and to the neighbour of one that was removed. */
export function useRowFocus() {
  const place = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const rows = place.current?.querySelectorAll<HTMLElement>(':scope > [data-row]') ?? [];
    const row = rows[Math.min(wanted.current, rows.length - 1)];
    const target = row?.querySelector<HTMLElement>('input, textarea') ?? place.current?.querySelector('button');
    target?.focus();
    wanted.current = null;
  });
  return {
    place,
    focusRow: (index: number) => {
      wanted.current = index;
    },
  };
}
