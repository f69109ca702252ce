import {
  CheckCircleFilled,
  DownOutlined,
  ExclamationCircleFilled,
  MinusCircleOutlined,
  UpOutlined,
} from '@ant-design/icons';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ComparedItem, RequestReview } from '../../../../src/contract/requests.js';
import { isGone } from '../../api/failures/form-errors.js';
import { usePresence } from '../../api/presence.js';
import { useRequestQuery } from '../../api/requests.js';
import { dayAndTime, inDays } from '../../shared/i18n/dates.js';
import { display } from '../../shared/i18n/fhir-dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { listOf, numeral } from '../../shared/i18n/language.js';
import { kindName } from '../../shared/scopes/scope-texts.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { PresenceLine } from '../../shared/ui/overlays/presence-line.js';
import { Sheet } from '../../shared/ui/overlays/sheet.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { CorrectRequest } from './correct-request.js';
import { Notice } from './notice.js';
import { RequestDecision } from './request-decision.js';
import styles from './requests.module.css';

interface RequestPanelProps {
  id: string;
  open: boolean;
  onClose: () => void;
  afterClose: () => void;
  /** Opens the request above in the list, if there is one; the same for the one below. */
  above: (() => void) | undefined;
  below: (() => void) | undefined;
}

/** One request next to the list, or over it in a narrow window. */
export function RequestPanel({ id, open, onClose, afterClose, above, below }: RequestPanelProps) {
  const { t } = useTranslation();
  const { data, error, isFetching, refetch } = useRequestQuery(id, { refetchOnMountOrArgChange: true });
  const request = data?.id === id ? data : undefined;
  const isOpen = request?.status === 'waiting' || request?.status === 'more-needed';
  // A decision that is being made stays as it is when others decide: its version tells.
  const { presence, tellSaved } = usePresence({ kind: 'request', id, open, editing: isOpen });
  return (
    <Sheet
      open={open}
      sidePanel
      broad
      caption={request ? t('requests.caption', { reference: request.reference }) : t('requests.title')}
      title={request ? <Head request={request} /> : <Skeleton width={220} />}
      actions={
        <>
          <Button
            type="text"
            icon={<UpOutlined aria-hidden />}
            aria-label={t('requests.above')}
            disabled={!above}
            onClick={above}
          />
          <Button
            type="text"
            icon={<DownOutlined aria-hidden />}
            aria-label={t('requests.below')}
            disabled={!below}
            onClick={below}
          />
        </>
      }
      onClose={onClose}
      afterClose={afterClose}
    >
      <PresenceLine {...presence} />
      {request ? (
        <>
          {request.isOwnCase && <Notice type="warning">{t('requests.ownCase')}</Notice>}
          <Asked request={request} />
          {request.comparison && <Record comparison={request.comparison} />}
          {isOpen ? (
            <RequestDecision key={id} request={request} onDecided={tellSaved} onLook={refetch} />
          ) : (
            <Answer request={request} />
          )}
        </>
      ) : (
        !isFetching && (isGone(error) ? <p>{t('requests.gone')}</p> : <LoadFailed onRetry={refetch} />)
      )}
    </Sheet>
  );
}

function Head({ request }: { request: RequestReview }) {
  const { t } = useTranslation();
  const { askerName, patientName, status, dueAt, age, awaitsSecond, comparison } = request;
  const relation = relationAsked(request);
  const names = { asker: isolateName(askerName), patient: isolateName(patientName) };
  const isWaiting = status === 'waiting';
  const isLate = isWaiting && Date.parse(dueAt) < Date.now();
  const tone = status === 'approved' ? 'good' : status === 'in-error' ? 'bad' : 'neutral';
  return (
    <span>
      {t('requests.headFor', names)}
      <span className={styles.chips}>
        {isWaiting ? (
          <Badge tone={isLate ? 'bad' : 'warning'}>
            {t(isLate ? 'requests.late' : 'requests.answerBy', { when: inDays(dueAt) })}
          </Badge>
        ) : (
          <Badge tone={tone}>{t(`requests.state.${status}`)}</Badge>
        )}
        {awaitsSecond && <Badge tone="warning">{t('requests.awaitsSecond')}</Badge>}
        {age !== null && <Badge>{t('requests.years', { count: age })}</Badge>}
        {relation && <Badge>{t('requests.asksAs', { relation })}</Badge>}
        {comparison?.patient && <Badge>{t('requests.acting', { count: comparison.acting })}</Badge>}
      </span>
    </span>
  );
}

/** The word of the basis for who asks, as the user chose it. */
function relationAsked({ basis, relation, choices }: RequestReview): string | null {
  const asked = choices?.bases.find(({ label }) => label === basis);
  return asked?.relations.find(({ id }) => id === relation)?.label ?? relation;
}

/** The words of the user, or the question of the portal. */
function Asked({ request: { kind, statement } }: { request: RequestReview }) {
  const { t } = useTranslation();
  if (kind === 'act-for' && !statement) return null;
  return (
    <section className={styles.section}>
      <h2>{t(kind === 'act-for' ? 'requests.statement' : `requests.kind.${kind}`)}</h2>
      {kind !== 'act-for' && <p>{t(`requests.question.${kind}`)}</p>}
      {statement && <p className={styles.words}>{statement}</p>}
    </section>
  );
}

const marks: Record<ComparedItem['result'], ReactNode> = {
  fits: <CheckCircleFilled aria-hidden />,
  differs: <ExclamationCircleFilled aria-hidden />,
  missing: <ExclamationCircleFilled aria-hidden />,
  unsaid: <MinusCircleOutlined aria-hidden />,
};

function Record({ comparison: { result, items } }: { comparison: NonNullable<RequestReview['comparison']> }) {
  const { t } = useTranslation();
  const textOf = ({ item, result: one, asked, inRecord }: ComparedItem) => {
    const shown = (value: string | null) => (item === 'birth-date' ? display(value ?? '', 'long') : (value ?? ''));
    const values = { asked: isolateName(shown(asked)), inRecord: isolateName(shown(inRecord)) };
    if (one === 'differs') return t(inRecord ? 'requests.differs' : 'requests.differsOnly', values);
    return t(`requests.${one}`, values);
  };
  return (
    <section className={styles.section}>
      <h2>{t('requests.record')}</h2>
      <p>{t('requests.compared')}</p>
      <Notice type={result === 'fits' ? 'success' : 'warning'}>{t(`requests.result.${result}`)}</Notice>
      <ul className={styles.items}>
        {items.map((one) => (
          <li key={one.item} data-result={one.result}>
            {marks[one.result]}
            <span>{t(`requests.item.${one.item}`)}</span>
            <span>{textOf(one)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The decision, and the ways to correct it. */
function Answer({ request }: { request: RequestReview }) {
  const { t } = useTranslation();
  const { decidedBy, decidedAt, note, status, seen, relationshipId, kind } = request;
  return (
    <section className={styles.section}>
      {decidedAt && decidedBy && (
        <p>{t('requests.decidedBy', { name: isolateName(decidedBy), when: dayAndTime(decidedAt) })}</p>
      )}
      {note && <p className={styles.words}>{t('requests.note', { note })}</p>}
      {status === 'in-error' && seen && (
        <>
          <h2>{t('requests.seenTitle')}</h2>
          <p>{t('requests.seenTell')}</p>
          {seen.length === 0 && <p>{t('requests.seenNone')}</p>}
          <ul className={styles.seen}>
            {seen.map(({ at, clientName, kinds }) => (
              <li key={at}>
                {t('requests.seenRow', {
                  when: dayAndTime(at),
                  app: isolateName(clientName),
                  kinds: listOf(Object.entries(kinds).map(([one, number]) => `${kindName(one)} (${numeral(number)})`)),
                })}
              </li>
            ))}
          </ul>
        </>
      )}
      {status === 'approved' && relationshipId !== null && kind === 'act-for' && <CorrectRequest request={request} />}
    </section>
  );
}
