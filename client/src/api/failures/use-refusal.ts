import type { FormInstance } from 'antd';
import { useState } from 'react';
import { type FormErrors, formErrors } from './form-errors.js';

/** Of these a form shows the field once its call is refused for want of one. */
const proofs: readonly string[] = ['currentPassword', 'verificationCode', 'recoveryCode'];

/** As {@link formErrors}; the problems of a field that is not among the values on the page are the form's own. */
export function errorsOnPage<Field extends string>(
  error: unknown,
  fields: readonly Field[],
  onPage: object,
): FormErrors<Field> {
  const own = fields.filter((name) => Object.hasOwn(onPage, name) || proofs.includes(name));
  return formErrors(error, own);
}

/**
 * The refusal of a form's call: `show` sets the problems of the named fields at them, and the others as `errors`. It
 * returns the problems of the fields, and the first field that has one.
 */
export function useRefusal<Fields extends object>(form: FormInstance<Fields>) {
  const [errors, setErrors] = useState<string[]>([]);
  const show = <Field extends keyof Fields & string>(error: unknown, fields: readonly Field[]) => {
    const problems = errorsOnPage(error, fields, form.getFieldsValue());
    setErrors(problems.form);
    form.setFields(fields.map((name) => ({ name: name as never, errors: problems.fields[name] ?? [] })));
    return { fields: problems.fields, first: fields.find((name) => problems.fields[name]) };
  };
  return { errors, clear: () => setErrors([]), show };
}
