import type { FormInstance } from 'antd';
import { useState } from 'react';
import { formErrors } from './form-errors.js';

/**
 * The refusal of a form's call: `show` sets the problems of the named fields at them, and the others as `errors`.
 * It returns the problems of the fields, and the first field that has one.
 */
export function useRefusal<Fields extends object>(form: FormInstance<Fields>) {
  const [errors, setErrors] = useState<string[]>([]);
  const show = <Field extends keyof Fields & string>(error: unknown, fields: readonly Field[]) => {
    const problems = formErrors(error, fields);
    setErrors(problems.form);
    form.setFields(fields.map((name) => ({ name: name as never, errors: problems.fields[name] ?? [] })));
    return { fields: problems.fields, first: fields.find((name) => problems.fields[name]) };
  };
  return { errors, clear: () => setErrors([]), show };
}
