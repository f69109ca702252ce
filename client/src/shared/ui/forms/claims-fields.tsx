import { DeleteOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Form, Input } from 'antd';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { maxClaimName, maxClaimValue } from '../../../../../src/contract/rules/users/claims.js';
import type { Claim } from '../../../../../src/contract/session.js';
import styles from './claims-fields.module.css';
import './words/en.js';

interface Rule {
  validator: () => Promise<void>;
}

/**
 * The claims of a form, in its field `claims`: rows of name and value, each with its problems below. `problemOf` gives
 * the text for a field (`claims`, `claims.0.name`) of the form as it is.
 */
export function ClaimsFields({ problemOf }: { problemOf: (field: string) => string | undefined }) {
  const { t } = useTranslation();
  const rule = (field: string): Rule => ({
    validator: async () => {
      const problem = problemOf(field);
      if (problem) throw new Error(problem);
    },
  });
  return (
    <Form.List name="claims" rules={[rule('claims')]}>
      {(fields, { add, remove }, { errors }) => (
        <fieldset className={styles.claims}>
          <legend className={styles.legend}>{t('claims.title')}</legend>
          <Rows keys={fields.map(({ key }) => key)} rule={rule} add={add} remove={remove} errors={errors} />
        </fieldset>
      )}
    </Form.List>
  );
}

function Rows({
  keys,
  rule,
  add,
  remove,
  errors,
}: {
  keys: number[];
  rule: (field: string) => Rule;
  add: (claim: Claim) => void;
  remove: (index: number) => void;
  errors: ReactNode[];
}) {
  const { t } = useTranslation();
  const rows = useRef<HTMLDivElement>(null);
  /** The row that gets the focus as soon as it is there. */
  const focus = useRef<number | null>(null);
  useEffect(() => {
    if (focus.current === null) return;
    const names = rows.current?.querySelectorAll<HTMLElement>('[data-claim-name]') ?? [];
    const target =
      names[Math.min(focus.current, names.length - 1)] ?? rows.current?.querySelector<HTMLElement>(':scope > button');
    target?.focus();
    focus.current = null;
  });
  return (
    <div ref={rows}>
      {keys.map((key, index) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be read out twice
        <div key={key} className={styles.claim} role="group" aria-label={t('claims.one', { number: index + 1 })}>
          <Form.Item name={[index, 'name']} label={t('claims.name')} rules={[rule(`claims.${index}.name`)]}>
            <Input className={styles.code} maxLength={maxClaimName} data-claim-name spellCheck={false} />
          </Form.Item>
          <Form.Item name={[index, 'value']} label={t('claims.value')} rules={[rule(`claims.${index}.value`)]}>
            <Input className={styles.code} maxLength={maxClaimValue} spellCheck={false} />
          </Form.Item>
          <Button
            type="text"
            className={styles.remove}
            icon={<DeleteOutlined aria-hidden />}
            aria-label={t('claims.remove', { number: index + 1 })}
            onClick={() => {
              focus.current = index;
              remove(index);
            }}
          />
        </div>
      ))}
      <Form.ErrorList errors={errors} />
      <Button
        className={styles.add}
        icon={<PlusOutlined aria-hidden />}
        onClick={() => {
          focus.current = keys.length;
          add({ name: '', value: '' });
        }}
      >
        {t('claims.add')}
      </Button>
    </div>
  );
}
