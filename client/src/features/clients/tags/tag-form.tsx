import { Button, Form, Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientTag, TagForm as Fields } from '../../../../../src/contract/clients/tags.js';
import type { Message } from '../../../../../src/contract/messages/message.js';
import { tagColorProblem, tagPalette, tagValueProblem } from '../../../../../src/contract/rules/tag.js';
import { useAddTagMutation, useChangeTagMutation, useClientsWithTagQuery } from '../../../api/clients/tags.js';
import { isGone } from '../../../api/failures/form-errors.js';
import { useRefusal } from '../../../api/failures/use-refusal.js';
import { forgetDraft, keptDraft, keptForm } from '../../../shared/drafts/drafts.js';
import { useOpenForm } from '../../../shared/drafts/use-open-form.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import { notify } from '../../../shared/notices.js';
import { DraftNotice } from '../../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import { ColorInput } from './color-input.js';
import styles from './tags.module.css';
import './words/en.js';

/** Prefix of the names of tag drafts. */
const tagDraft = 'tag:';

/** The tag whose form was not saved when its page was left; `new` for one that is not there yet. */
export const keptTag = (): string | null => keptForm(tagDraft)?.slice(tagDraft.length) ?? null;

/** Closing the sheet discards what was typed in it. */
export function forgetTags(): void {
  const kept = keptForm(tagDraft);
  if (kept) forgetDraft(kept);
}

const checked =
  (problemOf: (text: string) => Message | undefined) =>
  async (_: unknown, text = '') => {
    const problem = problemOf(text);
    if (problem) throw new Error(translateMessage(problem));
  };

/** A new tag, or another value or colour for one that there is. */
export function TagForm({ tag, onClose, onGone }: { tag?: ClientTag; onClose: () => void; onGone: () => void }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<Fields>();
  const name = `${tagDraft}${tag?.id ?? 'new'}`;
  const [kept, setKept] = useState(() => keptDraft<Fields>(name));
  const initial: Fields = { value: tag?.value ?? '', color: tag?.color ?? tagPalette[0] };
  const typed = (): Fields => ({ ...initial, ...form.getFieldsValue(true) });
  useOpenForm({ name, isChanged: () => JSON.stringify(typed()) !== JSON.stringify(initial), value: typed });
  const close = () => {
    forgetDraft(name);
    onClose();
  };
  const color = Form.useWatch('color', form) ?? initial.color;
  const refusal = useRefusal(form);
  const [add, { isLoading: adding }] = useAddTagMutation();
  const [change, { isLoading: changing }] = useChangeTagMutation();

  const submit = async (entered: Fields) => {
    refusal.clear();
    const fields = { value: entered.value.trim(), color: entered.color.trim() };
    const { error } = await (tag ? change({ ...fields, id: tag.id }) : add(fields));
    if (!error) {
      notify('success', t(tag ? 'tags.changed' : 'tags.added'));
      return close();
    }
    if (isGone(error)) return onGone();
    refusal.show(error, ['value', 'color']);
    form.scrollToField('value', { focus: true });
  };

  return (
    <Form<Fields>
      form={form}
      className={styles.form}
      layout="vertical"
      initialValues={kept ?? initial}
      scrollToFirstError={{ focus: true }}
      onFinish={submit}
      noValidate
    >
      {kept && (
        <DraftNotice
          onDiscard={() => {
            forgetDraft(name);
            setKept(undefined);
            form.setFieldsValue(initial);
          }}
        />
      )}
      <Form.Item name="value" label={t('tags.value')} rules={[{ validator: checked(tagValueProblem) }]}>
        <Input autoFocus autoComplete="off" />
      </Form.Item>
      <Form.Item
        name="color"
        label={t('tags.color')}
        rules={[{ validator: checked((text) => tagColorProblem(text.trim())) }]}
      >
        <ColorInput />
      </Form.Item>
      {tag && <Effect id={tag.id} />}
      <ErrorList errors={refusal.errors} />
      <div className={styles.buttons}>
        <Button
          type="primary"
          htmlType="submit"
          loading={adding || changing}
          disabled={tagColorProblem(color.trim()) !== undefined}
        >
          {t('common.save')}
        </Button>
        <Button onClick={close}>{t('common.cancel')}</Button>
      </div>
    </Form>
  );
}

/** The clients that a change affects. */
function Effect({ id }: { id: string }) {
  const { t } = useTranslation();
  const { data: count } = useClientsWithTagQuery(id);
  return <p className={styles.effect}>{count !== undefined && t('tags.changeEffect', { count })}</p>;
}
