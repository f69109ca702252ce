import './words/en.js';
import { CheckCircleFilled, CloseCircleFilled, ExclamationCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router-dom';
import type { OwnRequest } from '../../../../src/contract/requests.js';
import { failureText, isGone } from '../../api/failures/form-errors.js';
import { useAddFilesMutation, useOwnRequestQuery, useTakeBackMutation } from '../../api/own-record/requests.js';
import { useSettings } from '../../api/settings.js';
import { dayAndTime, longDate } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { notify } from '../../shared/notices.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { dayText } from './day.js';
import styles from './family.module.css';
import { FileRows, useFileRows } from './file-rows.js';
import request from './request.module.css';
import { BackLink, useWayBack } from './way-back.js';

/** A request to act for a patient: what happens with it, and what was sent. */
export function RequestStatusPage() {
  const { id = '' } = useParams();
  const { t } = useTranslation();
  const { currentData, error, isFetching, refetch } = useOwnRequestQuery(id, { refetchOnMountOrArgChange: true });
  const slow = useSlow(isFetching && !currentData);
  return (
    <div className={styles.narrow}>
      <BackLink />
      {currentData ? (
        <Status of={currentData} />
      ) : isGone(error) && !isFetching ? (
        <>
          <PageTitle>{t('family.requestGone')}</PageTitle>
          <p className={styles.lead}>{t('family.requestGoneLead')}</p>
        </>
      ) : (
        error && !isFetching && <LoadFailed onRetry={refetch} />
      )}
      {slow && <Skeleton height={200} />}
    </div>
  );
}

const changeHeads = {
  waiting: ['family.requestChecking', 'family.requestChangeLead'],
  'more-needed': ['family.requestNeeds', 'family.requestNeedsLead'],
  declined: ['family.requestDeclined', 'family.requestChangeDeclinedLead'],
  approved: ['family.requestAnswered', 'family.requestAnsweredLead'],
} as const;

const accountingHeads = {
  ...changeHeads,
  waiting: ['family.requestChecking', 'family.requestAccountingLead'],
  declined: ['family.requestDeclined', 'family.requestAccountingDeclinedLead'],
} as const;

const heads = {
  waiting: ['family.requestChecking', 'family.requestCheckingLead'],
  'more-needed': ['family.requestNeeds', 'family.requestNeedsLead'],
  declined: ['family.requestDeclined', 'family.requestDeclinedLead'],
  approved: ['family.requestAnswered', 'family.requestAnsweredLead'],
} as const;

function Status({ of }: { of: OwnRequest }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { goBack, aside } = useWayBack();
  const [adding, setAdding] = useState(false);
  const [asking, setAsking] = useState(false);
  const status = of.status as keyof typeof heads;
  const isChange = of.kind === 'change';
  const [title, lead] = (isChange ? changeHeads : of.kind === 'accounting' ? accountingHeads : heads)[status];
  const isOpen = status === 'waiting' || status === 'more-needed';
  const needsMore = status === 'more-needed';
  return (
    <>
      <PageTitle>{t(title)}</PageTitle>
      <p className={styles.lead}>{t(lead)}</p>
      <Steps of={of} />
      <section className={request.facts}>
        <Facts of={of} />
        {isOpen && (
          <button type="button" className={request.takeBack} onClick={() => setAsking(true)}>
            {t('family.requestTakeBack')}
          </button>
        )}
      </section>
      {adding && isOpen ? (
        <FurtherFiles of={of} onDone={() => setAdding(false)} />
      ) : (
        <div className={request.pair}>
          {isOpen ? (
            <>
              <Button type={needsMore ? 'primary' : 'default'} onClick={() => setAdding(true)}>
                {t('family.addFile')}
              </Button>
              <Button type={needsMore ? 'default' : 'primary'} onClick={goBack}>
                {t('family.done')}
              </Button>
            </>
          ) : (
            <>
              <Button onClick={goBack}>{t('family.done')}</Button>
              {status === 'declined' && of.kind !== 'accounting' && (
                <Button
                  type="primary"
                  onClick={() => navigate(isChange ? '/user/family' : aside('/user/family/request'))}
                >
                  {t('family.requestAskAgain')}
                </Button>
              )}
            </>
          )}
        </div>
      )}
      <TakeBackDialog id={of.id} open={asking} onClose={() => setAsking(false)} />
    </>
  );
}

type StepState = 'done' | 'current' | 'needs' | 'no' | 'later';

const marks: Partial<Record<StepState, ReactNode>> = {
  done: <CheckCircleFilled aria-hidden />,
  needs: <ExclamationCircleFilled aria-hidden />,
  no: <CloseCircleFilled aria-hidden />,
};

function Steps({ of: { status, askedAt, dueAt, decidedAt, note } }: { of: OwnRequest }) {
  const { t } = useTranslation();
  const { mailWaits } = useSettings();
  const answer = mailWaits ? 'family.stepAnswerHere' : 'family.stepAnswer';
  const by = t('family.stepBy', { date: longDate(dueAt).date });
  const decided = decidedAt ? dayAndTime(decidedAt) : '';
  const second: { state: StepState; title: string; text: string; note?: string | null } =
    status === 'declined' || status === 'approved'
      ? { state: 'done', title: t('family.stepChecked'), text: decided }
      : status === 'more-needed'
        ? { state: 'needs', title: t('family.stepNeeds'), text: decided, note }
        : { state: 'current', title: t('family.stepChecked'), text: decided || by };
  const third: typeof second =
    status === 'declined'
      ? { state: 'no', title: t('family.stepSaidNo'), text: '', note }
      : status === 'approved'
        ? { state: 'done', title: t('family.stepAnswered'), text: '', note }
        : { state: 'later', title: t(answer), text: t('family.stepReason') };
  const steps = [
    { state: 'done' as StepState, title: t('family.stepSent'), text: dayAndTime(askedAt), note: null },
    second,
    third,
  ];
  const isCurrent = (state: StepState) => state === 'current' || state === 'needs' || state === 'no';
  return (
    <ol className={request.steps} aria-label={t('family.requestSteps')}>
      {steps.map(({ state, title, text, note: said }) => (
        <li
          key={title}
          className={request.step}
          data-state={state}
          {...(isCurrent(state) && { 'aria-current': 'step' as const })}
        >
          <span className={request.mark} data-state={state} aria-hidden>
            {marks[state]}
          </span>
          <strong>{title}</strong>
          {text && <p>{text}</p>}
          {said && <p className={request.said}>{said}</p>}
        </li>
      ))}
    </ol>
  );
}

function Facts({ of }: { of: OwnRequest }) {
  const { t } = useTranslation();
  const { patientName, birthDate, relation, basis, files, reference } = of;
  const name = isolateName(patientName);
  const isKept = files.some((file) => file.isKept);
  return (
    <dl>
      <div>
        <dt>{t('family.requestFor')}</dt>
        <dd>{birthDate ? t('family.requestForBorn', { name, date: dayText(birthDate) }) : name}</dd>
      </div>
      {relation && basis && (
        <div>
          <dt>{t('family.requestYouAre')}</dt>
          <dd className={request.youAre}>{t('family.requestYouAreText', { relation, basis })}</dd>
        </div>
      )}
      <div>
        <dt>{t('family.requestWhatYouSent')}</dt>
        {files.length === 0 && <dd>{t('family.requestNoFiles')}</dd>}
        {files.map(({ id, name: file }) => (
          <dd key={id}>
            <bdi>{file}</bdi>
          </dd>
        ))}
        {files.length > 0 && (
          <dd className={request.second}>{t(isKept ? 'family.requestFilesKept' : 'family.requestFilesGone')}</dd>
        )}
      </div>
      <div>
        <dt>{t('family.requestReference')}</dt>
        <dd className={request.reference}>{reference}</dd>
      </div>
    </dl>
  );
}

/** Files that are sent after the request. */
function FurtherFiles({ of: { id }, onDone }: { of: OwnRequest; onDone: () => void }) {
  const { t } = useTranslation();
  const files = useFileRows();
  const [send, { isLoading, error }] = useAddFilesMutation();
  const submit = async () => {
    const { error: failure } = await send({ id, files: files.ids });
    if (!failure) onDone();
  };
  return (
    <section aria-label={t('family.addFile')}>
      <FileRows {...files} label={t('family.requestWhatYouSent')} />
      <ErrorList errors={isLoading ? [] : failureText(error)} />
      <div className={request.pair}>
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button
          type="primary"
          loading={isLoading}
          disabled={files.isSending || files.ids.length === 0}
          onClick={submit}
        >
          {t('family.askSend')}
        </Button>
      </div>
    </section>
  );
}

function TakeBackDialog({ id, open, onClose }: { id: string; open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { goBack } = useWayBack();
  const [send, { isLoading, error, reset }] = useTakeBackMutation();
  const close = () => {
    reset();
    onClose();
  };
  const takeBack = async () => {
    const { error: failure } = await send(id);
    if (failure && !isGone(failure)) return;
    onClose();
    notify('success', t('family.requestTakenBack'));
    goBack();
  };
  return (
    <Dialog
      open={open}
      title={t('family.requestTakeBackTitle')}
      width={480}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={takeBack}>
            {t('family.requestTakeBack')}
          </Button>
        </>
      }
    >
      <p>{t('family.requestTakeBackText')}</p>
      <ErrorList errors={isLoading || isGone(error) ? [] : failureText(error)} />
    </Dialog>
  );
}
