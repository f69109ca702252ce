import { Button, Form } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { fieldRequired } from '../../../../../src/contract/rules/text.js';
import { useRefusal } from '../../../api/failures/use-refusal.js';
import { useAskChangeMutation } from '../../../api/own-record/requests.js';
import { keptForm, leaveUnasked } from '../../../shared/drafts/drafts.js';
import { useFormDraft } from '../../../shared/drafts/use-form-draft.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../../shared/i18n/messages.js';
import { DraftNotice } from '../../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../../shared/ui/forms/error-list.js';
import nativeField from '../../../shared/ui/forms/native-field.module.css';
import { Sheet } from '../../../shared/ui/overlays/sheet.js';

interface Fields {
  statement: string;
}

const prefix = 'ask-change:';
const draftName = (relationship: string, step: number | undefined) =>
  step === undefined ? prefix + relationship : `keep-more:${relationship}:${step}`;

/** The relationship of a request that was not sent, as the page was left; undefined without one. */
export const relationshipOfDraft = (): string | undefined => keptForm(prefix)?.slice(prefix.length);

/**
 * A representative asks the hospital for another level; with `step` for more than the age table leaves from that age
 * on.
 */
export function AskChangeSheet({
  relationship: { id, name },
  step,
  open,
  onClose,
}: {
  relationship: { id: string; name: string };
  step?: number;
  open: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const [send, { isLoading }] = useAskChangeMutation();
  const draft = useFormDraft<Fields>({ name: draftName(id, step), form, fields: ['statement'], initial: {} });

  const submit = async ({ statement }: Fields) => {
    refusal.clear();
    const { data, error } = await send({ relationship: id, statement, ...(step !== undefined && { step }) });
    if (data) {
      draft.forget();
      return leaveUnasked(() => navigate(`/user/family/requests/${data.id}`));
    }
    refusal.show(error, ['statement']);
  };

  return (
    <Sheet
      open={open}
      onClose={onClose}
      caption={t(step === undefined ? 'family.askChange' : 'family.keepMore')}
      title={<bdi>{name}</bdi>}
      footer={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" loading={isLoading} onClick={() => form.submit()}>
            {t('family.askSend')}
          </Button>
        </>
      }
    >
      <p>{t('family.askChangeLead')}</p>
      <Form<Fields>
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={submit}
        noValidate
        initialValues={draft.initial}
      >
        {draft.isBack && <DraftNotice onDiscard={draft.discard} />}
        <Form.Item
          name="statement"
          label={t('family.askChangeWhat', { name: isolateName(name) })}
          rules={[{ required: true, whitespace: true, message: translateMessage(fieldRequired) }]}
        >
          <textarea className={nativeField.text} maxLength={1000} rows={5} />
        </Form.Item>
        <ErrorList errors={refusal.errors} />
      </Form>
    </Sheet>
  );
}
