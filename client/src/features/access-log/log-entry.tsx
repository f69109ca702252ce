import {
  ClockCircleOutlined,
  DownOutlined,
  EditOutlined,
  ExperimentOutlined,
  StopOutlined,
  UpOutlined,
} from '@ant-design/icons';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { AccessLogEntry, Visit } from '../../../../src/contract/own-record/access-log.js';
import { useMedia } from '../../shared/browser/use-media.js';
import { longDate } from '../../shared/i18n/dates.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { Badged } from '../../shared/ui/marks/badged.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import {
  accessorKind,
  accessorName,
  accessorSign,
  appIn,
  appName,
  hasChanged,
  isAnswered,
  isByPerson,
  linesOf,
} from './access-words.js';
import styles from './log-entry.module.css';
import { VisitDetails } from './visit-details.js';

/** One visit, or the end of an access. */
export function LogEntry({
  entry,
  open,
  organization,
  reportAddress,
  onToggle,
}: {
  entry: AccessLogEntry;
  open: boolean;
  organization: string;
  reportAddress: string | null;
  onToggle: () => void;
}) {
  const id = useId();
  if (entry.type !== 'visit') {
    return (
      <li className={styles.entry}>
        <div className={styles.row}>
          <Summary entry={entry} organization={organization} />
        </div>
      </li>
    );
  }
  return (
    <li className={open ? `${styles.entry} ${styles.open}` : styles.entry}>
      <button
        type="button"
        className={styles.row}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={onToggle}
      >
        <Summary entry={entry} organization={organization} />
        <span className={styles.arrow}>{open ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}</span>
      </button>
      {open && (
        <div id={id}>
          <VisitDetails visit={entry} organization={organization} reportAddress={reportAddress} />
        </div>
      )}
    </li>
  );
}

function Summary({ entry, organization }: { entry: AccessLogEntry; organization: string }) {
  const { t } = useTranslation();
  const isPhone = useMedia('(max-width: 767.98px)');
  const isPerson = isByPerson(entry);
  const isActing = isPerson && entry.by === 'representative';
  const name = accessorName(entry);
  const picture = (
    <Monogram name={accessorSign(entry)} size={isPhone ? 40 : 36} round={isPerson || entry.type === 'decision'} />
  );
  return (
    <>
      <span className={styles.time}>{longDate(entry.start).time}</span>
      <span className={styles.picture}>
        {isActing ? <Badged name={appName(entry.app)}>{picture}</Badged> : picture}
      </span>
      <span className={styles.who}>
        <bdi className={styles.name}>{name}</bdi>
        <span className={styles.kind}>{accessorKind(entry)}</span>
      </span>
      <span className={styles.what}>
        {linesOf(entry, organization).map((line) => (
          <span key={line} className={styles.line}>
            {line}
          </span>
        ))}
        {isPerson && <span className={styles.withApp}>{t('accessLog.withApp', { app: appIn(entry) })}</span>}
      </span>
      <span className={styles.marks}>
        {entry.type === 'visit' ? <Marks visit={entry} /> : <ConfirmationLink entry={entry} />}
      </span>
    </>
  );
}

/** The page of an end. */
function ConfirmationLink({ entry }: { entry: Exclude<AccessLogEntry, Visit> }) {
  const { t } = useTranslation();
  const { type, what } = entry;
  const to =
    type === 'decision'
      ? what === 'ended' && `/user/family/ended/${entry.relationship}`
      : entry.receiptId && `/user/receipts/${entry.receiptId}`;
  if (!to) return null;
  return (
    <Link className={styles.receipt} to={to}>
      {t('accessLog.receipt')}
    </Link>
  );
}

function Marks({ visit }: { visit: Visit }) {
  const { t } = useTranslation();
  const answered = isAnswered(visit);
  return (
    <>
      {visit.unattended && (
        <span className={styles.unattended}>
          <ClockCircleOutlined aria-hidden />
          {t('accessLog.unattended')}
        </span>
      )}
      {visit.trial && <Badge icon={<ExperimentOutlined aria-hidden />}>{t('accessLog.trialBadge')}</Badge>}
      {hasChanged(visit) && <Badge icon={<EditOutlined aria-hidden />}>{t('accessLog.changedBadge')}</Badge>}
      {visit.refused > 0 && (
        <Badge tone="bad" icon={<StopOutlined aria-hidden />}>
          {t(answered ? 'accessLog.partlyRefusedBadge' : 'accessLog.refusedBadge')}
        </Badge>
      )}
      {visit.refused === 0 && !answered && <Badge>{t('accessLog.failedBadge')}</Badge>}
    </>
  );
}
