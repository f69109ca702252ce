import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RequestReview } from '../../../../src/contract/requests.js';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useCorrectRequestMutation } from '../../api/requests.js';
import { useSettings } from '../../api/settings.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import { Dialog } from '../../shared/ui/overlays/dialog.js';

/** Asks before an approval is corrected, with the reason. */
export function CorrectRequest({ request: { id, version, askerName } }: { request: RequestReview }) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const [form] = Form.useForm<{ note: string }>();
  const refusal = useRefusal(form);
  const [open, setOpen] = useState(false);
  const [correct, { isLoading }] = useCorrectRequestMutation();
  const submit = async ({ note }: { note: string }) => {
    refusal.clear();
    const { error } = await correct({ id, version, note });
    if (error) return void refusal.show(error, ['note']);
    setOpen(false);
    notify('success', t('requests.decided'));
  };
  return (
    <>
      <Button danger onClick={() => setOpen(true)}>
        {t('requests.error')}
      </Button>
      <Dialog open={open} title={t('requests.errorTitle')} width={480} onClose={() => setOpen(false)}>
        <p>{t(mailWaits ? 'requests.errorTextMailWaits' : 'requests.errorText', { name: isolateName(askerName) })}</p>
        <Form form={form} layout="vertical" requiredMark={false} onFinish={submit} noValidate>
          <Form.Item
            name="note"
            label={t('requests.reason')}
            extra={t('requests.reasonKept')}
            rules={[{ required: true, whitespace: true, message: translateMessage(fieldRequired) }]}
          >
            <textarea className={nativeField.text} maxLength={1000} rows={3} />
          </Form.Item>
          <ErrorList errors={refusal.errors} />
          <Button type="primary" danger htmlType="submit" block loading={isLoading}>
            {t('requests.errorSend')}
          </Button>
        </Form>
      </Dialog>
    </>
  );
}
