import './words/en.js';
import { Button, Checkbox, Form, Input, Radio } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { AskedBasis } from '../../../../src/contract/requests.js';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import { hasPageOfItsOwn } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useAskMutation, useOwnRequestsQuery } from '../../api/own-record/requests.js';
import { leaveUnasked } from '../../shared/drafts/drafts.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import choices from '../../shared/levels/choices.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import { Banner } from '../../shared/ui/layout/banner.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import styles from './family.module.css';
import { FileRows, useFileRows } from './file-rows.js';
import { dayHere } from './periods.js';
import request from './request.module.css';
import { forgetRequestDraft, type RequestDraft, useRequestDraft } from './request-draft.js';
import { BackLink, useWayBack } from './way-back.js';

interface Fields extends Required<Omit<RequestDraft, 'hasFiles'>> {
  isTrue: boolean;
}

const names = ['patientName', 'birthDate', 'recordNumber', 'relation', 'statement', 'isTrue'] as const;

/** A user asks the hospital to act for a patient. The answer is the same whatever is entered. */
export function RequestPage() {
  const { t } = useTranslation();
  const { data, isError, isFetching, refetch } = useOwnRequestsQuery(undefined, { refetchOnMountOrArgChange: true });
  return (
    <div className={styles.narrow}>
      <BackLink />
      <PageTitle>{t('family.askFor')}</PageTitle>
      {data?.bases.length === 0 ? (
        <p className={styles.lead}>{t('family.askElsewhere')}</p>
      ) : (
        <>
          <p className={styles.lead}>{t('family.askLead')}</p>
          {data ? <RequestForm bases={data.bases} /> : isError && !isFetching && <LoadFailed onRetry={refetch} />}
        </>
      )}
    </div>
  );
}

function RequestForm({ bases }: { bases: AskedBasis[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { goBack, aside } = useWayBack();
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const files = useFileRows();
  const draft = useRequestDraft(form, files.rows.length);
  const [ask, { isLoading }] = useAskMutation();
  const isChanged = () =>
    files.rows.length > 0 || names.some((name) => name !== 'relation' && form.getFieldValue(name));
  useOpenForm({ name: 'request', isChanged });
  const [basisId] = (Form.useWatch('relation', form) ?? '').split(' ');
  const { evidence } = bases.find(({ id }) => id === basisId) ?? bases[0] ?? {};
  const relations = bases.flatMap((basis) => basis.relations.map((one) => ({ basis, one })));

  const submit = async ({ relation: chosen, isTrue: _, ...fields }: Fields) => {
    refusal.clear();
    const [basis = '', relation = ''] = chosen.split(' ');
    const { patientName, birthDate, recordNumber = '', statement = '' } = fields;
    const optional = { ...(recordNumber && { recordNumber }), ...(statement && { statement }) };
    const body = { basis, relation, patientName, birthDate, ...optional, isTrue: true, files: files.ids } as const;
    const { data, error } = await ask(body);
    if (data) {
      forgetRequestDraft();
      return leaveUnasked(() => navigate(aside(`/user/family/requests/${data.id}`), { replace: true }));
    }
    if (hasPageOfItsOwn(error)) return;
    const { first } = refusal.show(error, names);
    if (first) form.scrollToField(first, { focus: true });
  };
  const checkTrue = async (__: unknown, value = false) => {
    if (!value) throw new Error(t('family.askTrueNeeded'));
  };
  const required = [{ required: true, whitespace: true, message: translateMessage(fieldRequired) }];
  const optional = (text: string) => (
    <>
      {text}&nbsp;<span className={request.optional}>{t('family.optional')}</span>
    </>
  );

  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      onFinish={submit}
      onValuesChange={draft.keep}
      scrollToFirstError={{ focus: true }}
      noValidate
      initialValues={{
        relation: relations[0] && `${relations[0].basis.id} ${relations[0].one.id}`,
        ...draft.kept,
      }}
    >
      <h2 className={request.section}>{t('family.askWho')}</h2>
      <Form.Item name="patientName" label={t('family.askName')} rules={required}>
        <Input maxLength={200} autoComplete="off" />
      </Form.Item>
      <Form.Item name="birthDate" label={t('family.askBirthDate')} rules={required}>
        <Input type="date" autoComplete="off" max={dayHere()} />
      </Form.Item>
      {evidence?.recordNumber !== null && (
        <Form.Item
          name="recordNumber"
          label={evidence?.recordNumber ? t('family.askNumber') : optional(t('family.askNumber'))}
          extra={t('family.askNumberHelp')}
          rules={evidence?.recordNumber ? required : []}
        >
          <Input maxLength={64} autoComplete="off" />
        </Form.Item>
      )}
      <h2 className={request.section} id="request-relation">
        {t('family.askRelation')}
      </h2>
      <Form.Item name="relation" rules={required}>
        <Radio.Group
          className={`${choices.card} ${choices.choices}`}
          aria-labelledby="request-relation"
          options={relations.map(({ basis, one }) => ({
            value: `${basis.id} ${one.id}`,
            label: (
              <>
                <span className={choices.choice}>{one.label}</span>
                <span className={choices.help}>{basis.label}</span>
              </>
            ),
          }))}
        />
      </Form.Item>
      {evidence?.statement !== null && (
        <Form.Item
          name="statement"
          label={evidence?.statement ? t('family.askStatement') : optional(t('family.askStatement'))}
          rules={evidence?.statement ? required : []}
        >
          <textarea className={nativeField.text} maxLength={1000} rows={3} />
        </Form.Item>
      )}
      {evidence?.files !== null && (
        <>
          <h2 className={request.section}>{t('family.askFiles')}</h2>
          <p className={request.note}>{t('family.askFilesHelp')}</p>
          {draft.missesFiles && <Banner>{t('family.askFilesAgain')}</Banner>}
          <FileRows {...files} label={t('family.askFiles')} />
        </>
      )}
      <Form.Item name="isTrue" valuePropName="checked" rules={[{ validator: checkTrue }]}>
        <Checkbox>{t('family.askTrue')}</Checkbox>
      </Form.Item>
      <ErrorList errors={refusal.errors} />
      <p className={request.note} role="status">
        {files.isSending ? t('family.filesSending') : ''}
      </p>
      <div className={styles.actions}>
        <Button onClick={goBack}>{t('common.cancel')}</Button>
        <Button type="primary" htmlType="submit" loading={isLoading} disabled={files.isSending}>
          {t('family.askSend')}
        </Button>
      </div>
    </Form>
  );
}
