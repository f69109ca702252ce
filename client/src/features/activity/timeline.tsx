import { CheckOutlined, CloseOutlined, ExclamationOutlined, MinusOutlined } from '@ant-design/icons';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LaunchEntryView, LaunchView } from '../../../../src/contract/activity.js';
import { t } from '../../shared/i18n/i18n.js';
import { locale } from '../../shared/i18n/language.js';
import { shortDuration } from '../../shared/launches/launch-facts.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './launch-page.module.css';
import { type Changed, ChangeLink } from './what-to-change.js';
import '../../shared/launches/words/en.js';

type EntryLook = LaunchEntryView['severity'] | 'later';

const icons: Record<EntryLook, ReactNode> = {
  step: <CheckOutlined />,
  notice: <ExclamationOutlined />,
  refused: <CloseOutlined />,
  failed: <ExclamationOutlined />,
  declined: <MinusOutlined />,
  left: <MinusOutlined />,
  ended: <MinusOutlined />,
  later: <MinusOutlined />,
};

/** Ground of the step that decided. */
const grounds: Record<LaunchEntryView['severity'], string | undefined> = {
  step: styles.decided,
  notice: styles.broke,
  refused: styles.decided,
  failed: styles.broke,
  declined: styles.over,
  left: styles.over,
  ended: styles.over,
};

/** From this time on a launch is measured in minutes. */
const longMs = 10 * 60_000;

/** '24.0 s' since the start. */
function sinceStart(ms: number): string {
  if (ms >= longMs) return shortDuration(ms);
  const seconds = new Intl.NumberFormat(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return t('activity.seconds', { seconds: seconds.format(ms / 1000) });
}

/**
 * The events of a launch in their order; the step that decided stands out, and steps that were not reached are grey.
 */
export function Timeline({ launch }: { launch: LaunchView }) {
  const { t } = useTranslation();
  const [technical, setTechnical] = useState(false);
  const { entries, decision, outcome, kind } = launch;
  const isDeciding = (entry: LaunchEntryView) =>
    decision !== undefined &&
    entry.code === decision.code &&
    entry.afterMs === decision.afterMs &&
    entry.title === decision.title;
  const later =
    outcome === 'open'
      ? t(launch.page === 'app' ? 'activity.waitingForApp' : 'activity.waiting')
      : outcome !== 'completed' && kind === 'launch' && !entries.some(({ code }) => code === 'tokens-issued')
        ? t('activity.notReached')
        : undefined;
  return (
    <section className={`${cardStyles.card} ${styles.card} ${styles.timelineCard}`} aria-labelledby="happened">
      <div className={styles.cardHead}>
        <h2 id="happened">{t('activity.happened')}</h2>
        <button
          type="button"
          className={styles.textButton}
          aria-pressed={technical}
          onClick={() => setTechnical(!technical)}
        >
          {t(technical ? 'activity.hideDetails' : 'activity.showDetails')}
        </button>
      </div>
      <ol className={styles.timeline}>
        {entries.map((entry) => (
          <Entry
            key={`${entry.code} ${entry.afterMs} ${entry.title} ${entry.text}`}
            entry={entry}
            deciding={isDeciding(entry)}
            technical={technical}
            clientRecordId={launch.clientRecordId}
            person={launch.person}
          />
        ))}
        {later && (
          <li className={styles.entry}>
            <span />
            <Mark look="later" />
            <p className={styles.later}>{later}</p>
          </li>
        )}
      </ol>
    </section>
  );
}

function Mark({ look }: { look: EntryLook }) {
  return (
    <span className={`${styles.mark} ${styles[look]}`} aria-hidden="true">
      {icons[look]}
    </span>
  );
}

function Entry({
  entry,
  deciding,
  technical,
  ...changed
}: Changed & {
  entry: LaunchEntryView;
  deciding: boolean;
  technical: boolean;
}) {
  const { t } = useTranslation();
  const { severity, title, text, decidedBy, change, code, count } = entry;
  const look = [styles.entry, deciding && grounds[severity]];
  return (
    <li className={look.filter(Boolean).join(' ')} aria-current={deciding ? 'step' : undefined}>
      <span className={styles.after}>{sinceStart(entry.afterMs)}</span>
      <Mark look={severity} />
      <div className={styles.what}>
        <h3>
          {severity !== 'step' && <span className="visually-hidden">{t(`activity.severity.${severity}`)}: </span>}
          {title}
        </h3>
        {decidedBy && <p>{decidedBy}</p>}
        {text && text !== decidedBy && <p>{text}</p>}
        {count > 1 && <p>{t('activity.times', { count, last: sinceStart(entry.lastAfterMs) })}</p>}
        {technical && <p className={styles.code}>{code}</p>}
        {change && !deciding && (
          <p>
            {change.text} <ChangeLink change={change} {...changed} />
          </p>
        )}
      </div>
    </li>
  );
}
