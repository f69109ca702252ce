import {
  CheckCircleFilled,
  CheckOutlined,
  ClockCircleOutlined,
  CloseCircleFilled,
  CopyOutlined,
  DownOutlined,
  UpOutlined,
} from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { AuditEventView } from '../../../../src/contract/audit.js';
import { useAuditEntryQuery } from '../../api/audit.js';
import { useAgeRulesQuery } from '../../api/users/representation.js';
import { useMedia } from '../../shared/browser/use-media.js';
import { copyQuietly } from '../../shared/copy.js';
import { numeral, plainList } from '../../shared/i18n/language.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { Sheet } from '../../shared/ui/overlays/sheet.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { Fact, FactSection, Facts } from '../../shared/ui/text/facts.js';
import styles from './audit.module.css';
import { levelsOf } from './audit-levels.js';
import { asText, exactMoment, fieldName, objectOf, personName, shortHash, titleOf, valueText } from './audit-words.js';

const copiedMs = 2000;
const sealIcons = {
  sealed: <CheckCircleFilled aria-hidden />,
  waiting: <ClockCircleOutlined aria-hidden />,
  broken: <CloseCircleFilled aria-hidden />,
  missing: <CloseCircleFilled aria-hidden />,
};
const tones = { sealed: 'good', waiting: 'neutral', broken: 'bad', missing: 'bad' } as const;

/** One entry next to the list, or over it in a narrow window. */
export function AuditPanel({
  id,
  open,
  onClose,
  afterClose,
  above,
  below,
}: {
  id: string;
  open: boolean;
  onClose: () => void;
  afterClose: () => void;
  /** Opens the entry above in the list, if there is one; the same for the one below. */
  above: (() => void) | undefined;
  below: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const {
    currentData: entry,
    error,
    isFetching,
    refetch,
  } = useAuditEntryQuery(id, { refetchOnMountOrArgChange: true });
  const [technical, setTechnical] = useState(false);
  const [checked, setChecked] = useState(false);
  // Each entry says for itself that its seal was checked again.
  useEffect(() => setChecked(id === ''), [id]);
  const isGone = (error as { status?: unknown } | undefined)?.status === 404;
  const number = /^\d{1,15}$/.test(id) ? numeral(Number(id)) : id;
  // The buttons of the footer have no room for it on a phone.
  const narrow = useMedia('(max-width: 575.98px)');
  const unfold = (place: string | undefined) => (
    <Button type="link" className={place ?? ''} aria-expanded={technical} onClick={() => setTechnical(!technical)}>
      {t(technical ? 'audit.hideDetails' : 'audit.showDetails')}
    </Button>
  );
  return (
    <Sheet
      open={open}
      sidePanel
      caption={t('audit.entry', { number })}
      title={
        <span className={styles.head}>
          <span>{entry ? titleOf(entry) : <Skeleton width={160} />}</span>
          {entry && <Marks entry={entry} />}
        </span>
      }
      actions={
        <>
          <Step icon={<UpOutlined aria-hidden />} label={t('audit.newer')} go={above} />
          <Step icon={<DownOutlined aria-hidden />} label={t('audit.older')} go={below} />
        </>
      }
      footer={
        entry && (
          <>
            {!narrow && unfold(styles.technical)}
            <Button
              loading={isFetching}
              onClick={async () => {
                setChecked(false);
                await refetch();
                setChecked(true);
              }}
            >
              {t('audit.checkAgain')}
            </Button>
            <CopyEntry entry={entry} />
          </>
        )
      }
      onClose={onClose}
      afterClose={afterClose}
    >
      {entry ? (
        <>
          <EntryFacts entry={entry} />
          {entry.changes.length > 0 && <Changes entry={entry} />}
          <Seal entry={entry} />
          {narrow && unfold(styles.unfold)}
          {technical && <Technical entry={entry} />}
          {/* At the end: it would part one section from the next. */}
          <span className="visually-hidden" role="status">
            {checked && t(`audit.sealTexts.${entry.seal.state}`)}
          </span>
        </>
      ) : isGone ? (
        <p role="status">{t('audit.gone')}</p>
      ) : error && !isFetching ? (
        <LoadFailed onRetry={refetch} />
      ) : (
        [72, 56, 64, 48].map((width) => (
          <p key={width} className={styles.bone}>
            <Skeleton width={`${width}%`} height={12} />
          </p>
        ))
      )}
    </Sheet>
  );
}

function Step({ icon, label, go }: { icon: React.ReactNode; label: string; go: (() => void) | undefined }) {
  return (
    <Button type="text" className={styles.step} icon={icon} aria-label={label} disabled={!go} onClick={() => go?.()} />
  );
}

function Marks({ entry }: { entry: AuditEventView }) {
  const { t } = useTranslation();
  const { seal, changes, outcome, type } = entry;
  return (
    <span className={styles.marks}>
      <Badge tone={tones[seal.state]} icon={sealIcons[seal.state]}>
        {t(`audit.seals.${seal.state}`)}
      </Badge>
      {changes.length > 0 && <Badge>{t('audit.settings', { count: changes.length })}</Badge>}
      {outcome === 'failure' && type !== 'access.refused' && <Badge tone="bad">{t('audit.refused')}</Badge>}
    </span>
  );
}

function EntryFacts({ entry }: { entry: AuditEventView }) {
  const { t } = useTranslation();
  const { who, client, person, launch, kinds, patients, patientCount } = entry;
  const object = objectOf(entry);
  const isClient = client !== null && person === null && patients.length === 0 && entry.type !== 'record.accessed';
  const clientLink = client?.recordId ? `/admin/client-management?client=${client.recordId}` : undefined;
  const personLink =
    person?.name && person.userType !== 'Admin' ? `/admin/user-management?user=${person.id}` : undefined;
  return (
    <Facts>
      <Fact label={t('audit.when')}>{exactMoment(entry.at)}</Fact>
      <Fact label={t('audit.who')}>
        {who ? <bdi>{personName(who)}</bdi> : t('audit.noPerson')}
        {who?.userType && <span className={styles.role}> · {t(`roles.${who.userType}`)}</span>}
      </Fact>
      {entry.address !== null && (
        <Fact label={t('audit.from')}>
          <span className={styles.code}>{entry.address}</span>
        </Fact>
      )}
      <Fact label={t('audit.on')}>
        <Linked to={isClient ? clientLink : personLink} text={object.name} />
      </Fact>
      {client && !isClient && (
        <Fact label={t('audit.app')}>
          <Linked to={clientLink} text={client.name ?? client.id} />
        </Fact>
      )}
      {patientCount > 1 && <Fact label={t('audit.patients')}>{numeral(patientCount)}</Fact>}
      <LevelFact entry={entry} />
      {kinds.length > 0 && <Fact label={t('audit.kinds')}>{plainList(kinds)}</Fact>}
      {launch && (
        <Fact label={t('audit.launch')}>
          <span className={styles.code}>
            <Linked to={`/admin/activity/${launch}`} text={launch} />
          </span>
        </Fact>
      )}
    </Facts>
  );
}

/** The level of a relationship: those of the configuration have their labels. */
function LevelFact({ entry }: { entry: AuditEventView }) {
  const { t } = useTranslation();
  const { data: rules } = useAgeRulesQuery(undefined, { skip: levelsOf(entry, []) === undefined });
  const found = levelsOf(entry, rules?.levels ?? []);
  if (!found) return null;
  const { level, from } = found;
  return <Fact label={t('audit.level')}>{from === undefined ? level : t('audit.levelFrom', { level, from })}</Fact>;
}

function Linked({ to, text }: { to: string | undefined; text: string }) {
  const shown = <bdi>{text}</bdi>;
  if (to === undefined) return shown;
  return (
    <Link className="target" to={to}>
      {shown}
    </Link>
  );
}

function Changes({ entry }: { entry: AuditEventView }) {
  const { t } = useTranslation();
  return (
    <FactSection title={t('audit.changes')}>
      <ul className={styles.changes}>
        {entry.changes.map(({ field, before, after, isHidden }) => {
          const [old, recent] = [valueText(field, before), valueText(field, after)];
          return (
            <li key={field}>
              <span className={styles.field}>{fieldName(field, entry)}</span>
              {isHidden ? (
                <span className={styles.now}>{t('audit.hidden')}</span>
              ) : (
                <span className={styles.change}>
                  <span className="visually-hidden">{t('audit.before')}: </span>
                  <del className={styles.old}>{old ?? t('audit.notSet')}</del>
                  <span className="onward" aria-hidden="true">
                    →
                  </span>
                  <span className="visually-hidden">{t('audit.after')}: </span>
                  <ins className={styles.now}>{recent ?? t('audit.notSet')}</ins>
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </FactSection>
  );
}

function Seal({ entry: { seal, checkedAt } }: { entry: AuditEventView }) {
  const { t } = useTranslation();
  return (
    <FactSection title={t('audit.seal')}>
      <div className={`${styles.seal} ${styles[tones[seal.state]]}`}>
        {sealIcons[seal.state]}
        <div>
          <strong>{t(`audit.sealTexts.${seal.state}`)}</strong>
          <p>
            {seal.state === 'waiting'
              ? t('audit.sealSoon')
              : t('audit.sealChecked', { moment: exactMoment(checkedAt) })}
          </p>
        </div>
      </div>
      {'hash' in seal && (
        <Facts>
          <Fact label={t('audit.sealNumber')}>
            {t('audit.sealOf', { number: numeral(Number(seal.number)), moment: exactMoment(seal.sealedAt) })}
          </Fact>
          <Fact label={t('audit.thisSeal')}>
            <span className={styles.code} title={seal.hash}>
              {shortHash(seal.hash)}
            </span>
          </Fact>
          {seal.before !== null && (
            <Fact label={t('audit.sealBefore')}>
              <span className={styles.code} title={seal.before}>
                {shortHash(seal.before)}
              </span>
            </Fact>
          )}
        </Facts>
      )}
    </FactSection>
  );
}

function Technical({ entry }: { entry: AuditEventView }) {
  const { t } = useTranslation();
  const { type, outcome, correlationId, who, client, subject, detail } = entry;
  const recorded = { type, outcome, userId: who?.id, clientId: client?.id, subject, correlationId, detail };
  return (
    <FactSection title={t('audit.details')}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be scrolled by keyboard, too */}
      <pre className={styles.json} tabIndex={0}>
        {JSON.stringify(recorded, null, 2)}
      </pre>
    </FactSection>
  );
}

function CopyEntry({ entry }: { entry: AuditEventView }) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <Button
        icon={copied ? <CheckOutlined aria-hidden /> : <CopyOutlined aria-hidden />}
        onClick={async () => setCopied(await copyQuietly(asText(entry)))}
      >
        {t(copied ? 'audit.copied' : 'audit.copy')}
      </Button>
      <span className="visually-hidden" role="status">
        {copied && t('audit.copied')}
      </span>
    </>
  );
}
