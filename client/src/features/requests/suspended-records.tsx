import { InboxOutlined } from '@ant-design/icons';
import { Button, Checkbox, Form } from 'antd';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SuspendedRecord } from '../../../../src/contract/representation/confirmations.js';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useConfirmRecordsMutation, useSuspendedRecordsQuery } from '../../api/requests.js';
import { useFormDraft } from '../../shared/drafts/use-form-draft.js';
import { dayAndTime } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { Pagination } from '../../shared/list/paging/pagination.js';
import { notify } from '../../shared/notices.js';
import { DraftNotice } from '../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import styles from './requests.module.css';

const canContinue = ({ isThere, replacedBy }: SuspendedRecord) => isThere || replacedBy !== null;

/** Relationships that are suspended because the record is gone or merged; many are confirmed at once. */
export function SuspendedRecords({
  query,
  onChange,
  noneFound,
}: {
  query: { searchTerm: string; page: number; pageSize: number };
  onChange: (changes: { page?: number; pageSize?: number }, options?: { replace?: boolean }) => void;
  /** In place of the list when a search finds nothing. */
  noneFound: ReactNode;
}) {
  const { t } = useTranslation();
  const { page, pageSize } = query;
  const { currentData, isError, isFetching, refetch } = useSuspendedRecordsQuery(query, {
    refetchOnMountOrArgChange: true,
  });
  const last = currentData && Math.max(1, Math.ceil(currentData.totalCount / pageSize));
  useEffect(() => {
    // Those of this page were confirmed.
    if (last !== undefined && page > last) onChange({ page: last }, { replace: true });
  });
  if (!currentData) return isError && !isFetching ? <LoadFailed onRetry={refetch} /> : null;
  const { records, totalCount } = currentData;
  if (totalCount === 0) {
    if (query.searchTerm !== '') return noneFound;
    return (
      <ListEmpty
        icon={<InboxOutlined aria-hidden />}
        title={t('requests.recordsNoneTitle')}
        text={t('requests.recordsNoneText')}
      />
    );
  }
  return (
    <Records records={records}>
      <Pagination
        page={page}
        pageSize={pageSize}
        total={totalCount}
        onPage={(next) => onChange({ page: next })}
        onPageSize={(size) => onChange({ pageSize: size })}
      />
    </Records>
  );
}

const note = { name: 'suspended-records', fields: ['note'], initial: {} } as const;

function Records({ records, children }: { records: SuspendedRecord[]; children: ReactNode }) {
  const { t } = useTranslation();
  const [form] = Form.useForm<{ note: string }>();
  const refusal = useRefusal(form);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<ReadonlySet<string>>(new Set());
  const [confirm, { isLoading }] = useConfirmRecordsMutation();
  const draft = useFormDraft<{ note: string }>({ ...note, form });
  const possible = records.filter(canContinue);
  const picked = possible.filter(({ id }) => chosen.has(id));
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const submit = async (typed: { note: string }) => {
    refusal.clear();
    const merged = picked.flatMap(({ id, patient, replacedBy }) =>
      replacedBy ? [{ relationship: id, patient: replacedBy.patient, replaced: patient }] : [],
    );
    const { data, error } = await confirm({ relationships: picked.map(({ id }) => id), note: typed.note, merged });
    if (!data) return void refusal.show(error, ['note']);
    const left = data.results.filter(({ status }) => status !== 200).map(({ id }) => id);
    setFailed(new Set(left));
    setChosen(new Set());
    draft.discard();
    if (left.length < data.results.length) {
      notify('success', t('requests.recordsDone', { count: data.results.length - left.length }));
    }
  };
  return (
    <section className={`${cardStyles.card} ${styles.records}`}>
      <p>{t('requests.recordsLead')}</p>
      <Checkbox
        checked={picked.length > 0 && picked.length === possible.length}
        indeterminate={picked.length > 0 && picked.length < possible.length}
        disabled={possible.length === 0}
        onChange={({ target }) => setChosen(new Set(target.checked ? possible.map(({ id }) => id) : []))}
      >
        {t('requests.recordsAll')}
      </Checkbox>
      <ul>
        {records.map((one) => (
          <li key={one.id}>
            <Checkbox
              checked={chosen.has(one.id)}
              disabled={!canContinue(one)}
              onChange={({ target }) => choose(one.id, target.checked)}
            >
              <Row one={one} isFailed={failed.has(one.id)} />
            </Checkbox>
          </li>
        ))}
      </ul>
      <div className={styles.pages}>{children}</div>
      <Form
        form={form}
        layout="vertical"
        requiredMark={false}
        initialValues={draft.initial}
        onFinish={submit}
        noValidate
      >
        {draft.isBack && <DraftNotice onDiscard={draft.discard} />}
        <Form.Item
          name="note"
          label={t('requests.reason')}
          rules={[{ required: true, whitespace: true, message: translateMessage(fieldRequired) }]}
        >
          <textarea className={nativeField.text} maxLength={1000} rows={2} />
        </Form.Item>
        <ErrorList errors={refusal.errors} />
        <Button type="primary" htmlType="submit" disabled={picked.length === 0} loading={isLoading}>
          {t('requests.recordsConfirm', { count: picked.length })}
        </Button>
      </Form>
    </section>
  );
}

function Row({ one, isFailed }: { one: SuspendedRecord; isFailed: boolean }) {
  const { t } = useTranslation();
  const { representativeName, patientName, patient, suspendedAt, isThere, replacedBy } = one;
  const state = replacedBy
    ? t('requests.recordsMerged', { patient, other: replacedBy.patient, name: isolateName(replacedBy.name) })
    : t(isThere ? 'requests.recordsBack' : 'requests.recordsGone', { patient });
  return (
    <span className={styles.record}>
      <strong>
        {t('requests.headFor', { asker: isolateName(representativeName), patient: isolateName(patientName) })}
      </strong>
      <span>{state}</span>
      {suspendedAt && <span>{t('requests.recordsSince', { when: dayAndTime(suspendedAt) })}</span>}
      {isFailed && <span className={styles.late}>{t('requests.recordsFailed')}</span>}
    </span>
  );
}
