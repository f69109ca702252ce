import type { FormInstance } from 'antd';
import { useState } from 'react';
import { forgetDraft, keptDraft } from './drafts.js';
import { useOpenForm } from './use-open-form.js';

/** An Ant Design form with a draft; `fields` are kept, and none of them is a secret. */
interface DraftedForm<Fields extends object> {
  name: string;
  form: FormInstance<Fields>;
  fields: readonly (keyof Fields & string)[];
  /** The first values of the form. */
  initial: Partial<Fields>;
}

/**
 * The entries of a form whose page was left by a lost session or a failed save. `initial` are the values to
 * begin with; `isBack` is true while the form holds a draft that was brought back.
 */
export function useFormDraft<Fields extends object>({ name, form, fields, initial }: DraftedForm<Fields>) {
  const [begun] = useState(initial);
  const [kept, setKept] = useState(() => keptDraft<Partial<Fields>>(name));
  const typed = (): Partial<Fields> =>
    Object.fromEntries(fields.map((field) => [field, form.getFieldValue(field as never)])) as Partial<Fields>;
  const isChanged = () => {
    const now = typed();
    return fields.some((field) => (now[field] ?? '') !== (begun[field] ?? ''));
  };
  useOpenForm({ name, isChanged, value: typed });
  const forget = () => {
    forgetDraft(name);
    setKept(undefined);
  };
  const discard = () => {
    form.resetFields();
    form.setFieldsValue({ ...Object.fromEntries(fields.map((field) => [field, undefined])), ...begun } as never);
    forget();
  };
  return { initial: { ...begun, ...kept }, isBack: kept !== undefined, forget, discard };
}
