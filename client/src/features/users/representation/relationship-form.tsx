import { Button, Form, type FormInstance } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { hasPageOfItsOwn } from '../../../api/failures/form-errors.js';
import { useRefusal } from '../../../api/failures/use-refusal.js';
import type { useFormDraft } from '../../../shared/drafts/use-form-draft.js';
import { notify } from '../../../shared/notices.js';
import { DraftNotice } from '../../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import styles from './representation.module.css';

interface RelationshipFormProps<Fields extends object> {
  form: FormInstance<Fields>;
  draft: ReturnType<typeof useFormDraft<Fields>>;
  /** Those next to which a refusal is shown. */
  fields: readonly (keyof Fields & string)[];
  /** Makes the call; `done` is said when it succeeds. */
  send: (values: Fields) => Promise<{ error?: unknown; done: string }>;
  isLoading: boolean;
  /** Of the button that sends it. */
  label: string;
  isDangerous?: boolean;
  onValuesChange?: (changed: Partial<Fields>) => void;
  onClose: () => void;
  onDone: () => void;
  children: ReactNode;
}

/** The form in a dialog of relationships: its draft, its refusals and its buttons. */
export function RelationshipForm<Fields extends object>(props: RelationshipFormProps<Fields>) {
  const { form, draft, fields, send, isLoading, label, isDangerous = false, onClose, onDone, children } = props;
  const { t } = useTranslation();
  const refusal = useRefusal(form);
  const submit = async (values: Fields) => {
    refusal.clear();
    const { error, done } = await send(values);
    if (!error) {
      notify('success', done);
      draft.discard();
      return onDone();
    }
    if (hasPageOfItsOwn(error)) return;
    const { first } = refusal.show(error, fields);
    if (first) form.scrollToField(first as never, { focus: true });
  };
  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      className={styles.form ?? ''}
      requiredMark={false}
      noValidate
      initialValues={draft.initial}
      onFinish={submit}
      onValuesChange={props.onValuesChange}
      scrollToFirstError={{ focus: true }}
    >
      {draft.isBack && <DraftNotice onDiscard={draft.discard} />}
      {children}
      <ErrorList errors={refusal.errors} />
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button type="primary" danger={isDangerous} htmlType="submit" loading={isLoading}>
          {label}
        </Button>
      </div>
    </Form>
  );
}
