import { Form, Input } from 'antd';
import { emailProblem } from '../../../../../src/contract/rules/users/email.js';
import { translateMessage } from '../../i18n/messages.js';

/** The field of an address, which is checked as the server does. */
export function EmailField({
  name = 'email',
  label,
  autoComplete,
  validateTrigger = 'onBlur',
}: {
  name?: string;
  label: string;
  autoComplete: 'email' | 'username' | 'off';
  validateTrigger?: 'onBlur' | 'onSubmit';
}) {
  return (
    <Form.Item name={name} label={label} required validateTrigger={validateTrigger} rules={[{ validator: checkEmail }]}>
      <Input type="email" inputMode="email" autoComplete={autoComplete} autoCapitalize="none" spellCheck={false} />
    </Form.Item>
  );
}

async function checkEmail(_: unknown, value = ''): Promise<void> {
  const problem = emailProblem(value);
  if (problem) throw new Error(translateMessage(problem));
}
