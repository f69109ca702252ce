import { CheckOutlined, CloseOutlined, ExclamationOutlined } from '@ant-design/icons';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Change } from '../../../../src/contract/activity/cause.js';
import type { LaunchEntryView } from '../../../../src/contract/activity.js';
import type { TrialResult, TrialView } from '../../../../src/contract/clients/launch-trial.js';
import { useLaunchQuery } from '../../api/activity.js';
import { clientAddress, Part } from './parts.js';
import styles from './try-launch.module.css';

/** A launch is written within a second of its last request. */
const lookAgainMs = 1000;
const mostLooks = 5;

/** The scopes that were kept, and what the record of the launch says about the others and about a refusal. */
export function Decisions({ trial: { reference, clientRecordId }, result }: { trial: TrialView; result: TrialResult }) {
  const { t } = useTranslation();
  const launch = useWrittenLaunch(reference);
  const { error, granted } = result;
  const changed = launch?.entries.filter(({ severity }) => severity === 'notice') ?? [];
  const deciding = launch?.decision;
  return (
    <Part title={t('launchTrial.decisions')}>
      {error && (
        <div className={styles.refusal}>
          <p>
            <CloseOutlined aria-hidden /> <strong>{t('launchTrial.refusedWith', { code: error.code })}</strong>
          </p>
          {deciding ? <Reason entry={deciding} clientRecordId={clientRecordId} /> : <p>{error.description}</p>}
        </div>
      )}
      <h3>{t('launchTrial.kept')}</h3>
      {granted.length === 0 ? (
        <p>{t('launchTrial.nothingKept')}</p>
      ) : (
        <ul className={styles.scopes}>
          {granted.map((scope) => (
            <li key={scope}>
              <CheckOutlined aria-hidden /> <code className={styles.code}>{scope}</code>
            </li>
          ))}
        </ul>
      )}
      <h3>{t('launchTrial.cut')}</h3>
      {changed.length > 0 ? (
        <ul className={styles.scopes}>
          {changed.map((entry) => (
            <li key={`${entry.code} ${entry.title} ${entry.text}`}>
              <ExclamationOutlined aria-hidden />
              <div>
                <strong className={styles.broken}>{entry.title}</strong>
                <Reason entry={entry} clientRecordId={clientRecordId} />
              </div>
            </li>
          ))}
        </ul>
      ) : (
        <p>{t(launch ? 'launchTrial.nothingCut' : 'launchTrial.noRecord')}</p>
      )}
    </Part>
  );
}

function Reason({
  entry: { text, decidedBy, change },
  clientRecordId,
}: {
  entry: LaunchEntryView;
  clientRecordId: string;
}) {
  const { t } = useTranslation();
  return (
    <>
      <p>{text ?? decidedBy}</p>
      {change && (
        <p>
          {t('launchTrial.change', { text: change.text })}{' '}
          <ChangeLink change={change} clientRecordId={clientRecordId} />
        </p>
      )}
    </>
  );
}

function ChangeLink({ change: { field, configuration }, clientRecordId }: { change: Change; clientRecordId: string }) {
  const { t } = useTranslation();
  if (configuration) return <code className={styles.code}>{configuration}</code>;
  if (!field) return null;
  return (
    <Link className="target" to={clientAddress(clientRecordId, field)}>
      {t('launchTrial.toField')}
    </Link>
  );
}

/** The launch once its last entry is there; a portal that keeps no record has none. */
function useWrittenLaunch(reference: string) {
  const { currentData, isFetching, refetch } = useLaunchQuery(reference);
  const [looks, setLooks] = useState(1);
  const isWritten = currentData !== undefined && currentData.outcome !== 'open';
  useEffect(() => {
    if (isWritten || isFetching || looks >= mostLooks) return undefined;
    const timer = setTimeout(() => {
      setLooks((before) => before + 1);
      void refetch();
    }, lookAgainMs);
    return () => clearTimeout(timer);
  }, [isWritten, isFetching, looks, refetch]);
  return currentData;
}
