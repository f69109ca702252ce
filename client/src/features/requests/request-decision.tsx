import { Button, Form } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SingleKinds } from '../../../../src/contract/representation/levels.js';
import type { DecideRequestRequest, RequestReview } from '../../../../src/contract/requests.js';
import { fieldRequired } from '../../../../src/contract/rules/text.js';
import { isRefusedFor } from '../../api/failures/form-errors.js';
import { useRefusal } from '../../api/failures/use-refusal.js';
import { useDecideRequestMutation } from '../../api/requests.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { useFormDraft } from '../../shared/drafts/use-form-draft.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { translateMessage } from '../../shared/i18n/messages.js';
import { fieldsOfLevel, levelText } from '../../shared/levels/level-fields.js';
import { notify } from '../../shared/notices.js';
import { DraftNotice } from '../../shared/ui/forms/draft-notice.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { CurrentPasswordField } from '../two-factor/current-password-field.js';
import { ChangeTerms, type DecisionFields as Fields, isAboveTable, isLevelChosen, Terms } from './decision-terms.js';
import { Notice } from './notice.js';
import { RequestFiles } from './request-files.js';
import styles from './requests.module.css';

const names = ['basis', 'relation', 'level', 'kinds', 'end', 'note', 'currentPassword'] as const;
const drafted = [
  ...(['basis', 'relation', 'level', 'kinds', 'end', 'noEnd', 'note'] as const),
  ...(['despiteDifference', 'withoutBirthDate'] as const),
];

interface DecisionProps {
  request: RequestReview;
  onDecided: () => void;
  onLook: () => void;
}

/** The form of a decision. What is entered stays when another administrator was faster. */
export function RequestDecision(props: DecisionProps) {
  const { request } = props;
  const { t } = useTranslation();
  const { kind, isOwnCase } = request;
  const { data: user } = useSessionQuery();
  const decision = useDecision(props);
  const { form, refusal, seen, setSeen, values, asking, setAsking, send } = decision;
  const isQuestion = isOfPortal(request);
  const hasReason = Boolean(values?.note?.trim());
  return (
    <Form<Fields>
      form={form}
      layout="vertical"
      requiredMark={false}
      disabled={isOwnCase}
      noValidate
      initialValues={decision.draft.initial}
    >
      {decision.draft.isBack && <DraftNotice onDiscard={decision.draft.discard} />}
      <RequestFiles request={request} seen={seen} onSeen={setSeen} />
      <section className={styles.section}>
        <h2>{t('requests.decision')}</h2>
        {kind === 'act-for' && <Terms request={request} values={values} />}
        {kind === 'change' && <ChangeTerms request={request} values={values} />}
        <Form.Item
          name="note"
          label={t('requests.reason')}
          extra={t(isQuestion ? 'requests.reasonKept' : 'requests.reasonRead')}
          rules={[{ required: true, whitespace: true, message: translateMessage(fieldRequired) }]}
        >
          <textarea className={nativeField.text} maxLength={1000} rows={3} />
        </Form.Item>
        {decision.proving && user && <CurrentPasswordField user={user} takesFocus />}
        {decision.conflict && (
          <Notice type="warning" action={<Button onClick={decision.look}>{t('requests.conflictLook')}</Button>}>
            {t('requests.conflict')}
          </Notice>
        )}
        <ErrorList errors={decision.conflict ? [] : refusal.errors} />
        <div className={styles.acts}>
          <Button
            danger
            className={styles.first ?? ''}
            disabled={!hasReason || isOwnCase}
            onClick={() => setAsking(true)}
          >
            {t(isQuestion ? 'requests.ends' : 'requests.decline')}
          </Button>
          {!isQuestion && (
            <Button disabled={!hasReason || isOwnCase} onClick={() => send('more-needed')}>
              {t('requests.askMore')}
            </Button>
          )}
          <Button
            type="primary"
            loading={decision.isLoading}
            disabled={!decision.isComplete || isOwnCase}
            onClick={() => send('approve')}
          >
            {t(approveText(request))}
          </Button>
        </div>
      </section>
      <DeclineDialog
        request={request}
        open={asking}
        isLoading={decision.isLoading}
        onClose={() => setAsking(false)}
        onDecline={() => send('decline')}
      />
    </Form>
  );
}

const isOfPortal = ({ kind }: RequestReview) => kind === 'patient-ended' || kind === 'still-right';

function useDecision({ request, onDecided, onLook }: DecisionProps) {
  const { t } = useTranslation();
  const { id } = request;
  const [form] = Form.useForm<Fields>();
  const refusal = useRefusal(form);
  const [decide, { isLoading }] = useDecideRequestMutation();
  const [seen, setSeen] = useState<string[]>([]);
  const [conflict, setConflict] = useState(false);
  const [proving, setProving] = useState(false);
  const [asking, setAsking] = useState(false);
  // The version that is decided about is the one that was looked at.
  const [version, setVersion] = useState(request.version);
  const values = Form.useWatch([], form) as Partial<Fields> | undefined;
  const draft = useFormDraft<Fields>({
    ...{ name: `request:${id}`, form, fields: drafted },
    initial: firstTerms(request),
  });

  const send = async (decision: DecideRequestRequest['decision']) => {
    refusal.clear();
    const { note = '', currentPassword } = values ?? {};
    const terms = decision === 'approve' && !isOfPortal(request) ? termsOf(request, values) : {};
    const proof = currentPassword ? { currentPassword } : {};
    const { data, error } = await decide({ id, version, decision, note, seen, ...terms, ...proof });
    setAsking(false);
    if (data) {
      setVersion(data.version);
      setProving(false);
      draft.forget();
      onDecided();
      notify('success', t('requests.decided'));
      return;
    }
    if (isRefusedFor(error, 'request-changed')) setConflict(true);
    if (refusal.show(error, names).fields.currentPassword) setProving(true);
  };
  const look = () => {
    setConflict(false);
    refusal.clear();
    setVersion(request.version);
    onLook();
  };
  const isComplete = isCompleteFor(request, values, seen);
  return {
    form,
    draft,
    refusal,
    seen,
    setSeen,
    values,
    conflict,
    proving,
    asking,
    setAsking,
    send,
    look,
    isLoading,
    isComplete,
  };
}

/** The body of an approval; a level above the age rule says so. */
function termsOf({ kind, choices, change, comparison }: RequestReview, values: Partial<Fields> = {}) {
  if (kind === 'change') {
    const { end, noEnd } = values;
    const exceedsTable = change !== null && isAboveTable(values, change);
    return { level: levelOf(values, change?.single), exceedsTable, ...(exceedsTable && !noEnd && end && { end }) };
  }
  const { basis = '', relation = '', end, noEnd, withoutBirthDate, despiteDifference } = values;
  const known = choices?.bases.find(({ id }) => id === basis);
  return {
    ...{ patient: comparison?.patient ?? '', basis, level: levelOf(values, known?.single), relation },
    exceedsTable: known !== undefined && isAboveTable(values, known),
    ...(!noEnd && end && { end }),
    ...(withoutBirthDate && { withoutBirthDate }),
    ...(despiteDifference && { despiteDifference }),
  };
}

/** Each file is seen, and basis, level, last day and reason are there. */
function isCompleteFor(
  { kind, choices, change, comparison, files }: RequestReview,
  values: Partial<Fields> | undefined,
  seen: readonly string[],
): boolean {
  if (!values?.note?.trim() || files.some(({ isKept, id }) => isKept && !seen.includes(id))) return false;
  if (kind === 'change') return isCompleteChange(change, values);
  if (kind !== 'act-for') return true;
  const basis = choices?.bases.find(({ id }) => id === values.basis);
  const hasTerms =
    basis &&
    isLevelChosen(values, basis) &&
    // Of another basis that was chosen before, it is not shown.
    basis.relations.some(({ id }) => id === values.relation) &&
    (values.end || values.noEnd);
  const isFit = comparison?.result === 'fits' || (comparison?.result === 'differs' && values.despiteDifference);
  const isOfAge = !comparison?.lacksBirthDate || values.withoutBirthDate;
  return Boolean(basis?.isPossible && hasTerms && isFit && isOfAge);
}

function isCompleteChange(change: RequestReview['change'], values: Partial<Fields>): boolean {
  if (!change?.isPossible || !isLevelChosen(values, change)) return false;
  return Boolean(!isAboveTable(values, change) || values.end || values.noEnd);
}

function levelOf({ level = '', kinds }: Partial<Fields>, single: SingleKinds | null = null): string {
  return levelText({ level, ...(kinds && { kinds }) }, single);
}

function DeclineDialog({
  request,
  open,
  isLoading,
  onClose,
  onDecline,
}: {
  request: RequestReview;
  open: boolean;
  isLoading: boolean;
  onClose: () => void;
  onDecline: () => void;
}) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const isQuestion = isOfPortal(request);
  const declineText = mailWaits ? 'requests.declineTextMailWaits' : 'requests.declineText';
  return (
    <Dialog
      open={open}
      title={t(isQuestion ? 'requests.endsTitle' : 'requests.declineTitle')}
      width={480}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={onDecline}>
            {t(isQuestion ? 'requests.ends' : 'requests.decline')}
          </Button>
        </>
      }
    >
      <p>{t(isQuestion ? 'requests.endsText' : declineText, { name: isolateName(request.askerName) })}</p>
    </Dialog>
  );
}

function approveText({ kind, firstApproval }: RequestReview) {
  if (kind === 'patient-ended' || kind === 'still-right') return 'requests.continues';
  if (kind === 'accounting') return 'requests.answered';
  return firstApproval && !firstApproval.isOwn ? 'requests.approveSecond' : 'requests.approve';
}

/** The terms of the first approval; without one nothing is chosen, and nothing is taken from the record. */
function firstTerms({ firstApproval, choices, change }: RequestReview): Partial<Fields> {
  if (!firstApproval) return {};
  const { basis, relation, level, end } = firstApproval;
  const { single = null } = change ?? choices?.bases.find(({ id }) => id === basis) ?? {};
  return { basis, relation, ...fieldsOfLevel(level, single), ...(end === null ? { noEnd: true } : { end }) };
}
