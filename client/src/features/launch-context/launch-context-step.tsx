import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LaunchContextKind } from '../../../../src/contract/launch-context.js';
import type { Way } from '../../api/authorization.js';
import { useLaunchContextQuery } from '../../api/launch-context.js';
import { said } from '../../shared/i18n/said.js';
import { ActionBar } from '../../shared/ui/action-bar.js';
import { PageTitle } from '../../shared/ui/page-title.js';
import { WayOut, WayPlace } from '../../shared/ui/way.js';
import { useSlow } from '../../shared/use-slow.js';
import { Candidates } from './candidates.js';
import styles from './launch-context-page.module.css';
import { CandidatesSkeleton } from './launch-context-skeleton.js';
import { NotLoaded } from './not-loaded.js';

/** The choice of one resource, or of none. */
export function LaunchContextStep({
  kind: listed,
  returnUrl,
  patient,
  client,
  way,
  index,
  isLast,
  busy,
  onDone,
}: {
  kind: LaunchContextKind;
  returnUrl: string;
  /** The patient chosen in an earlier step. */
  patient: string | undefined;
  client: string;
  way: Way;
  index: number;
  isLast: boolean;
  busy: boolean;
  onDone: (id: string | null) => void;
}) {
  const { t } = useTranslation();
  const [selected, setSelected] = useState<string | null>(null);
  const { kind, error, isFetching, refetch } = useKindOfPatient(listed, returnUrl, patient);
  const slow = useSlow(isFetching);
  const count = kind?.data.length ?? 0;

  return (
    <>
      <div className={styles.column}>
        <WayPlace place={way.place ?? { clientName: client, step: 1, total: 1 }} page={index} alone />
        <div className={styles.head}>
          <PageTitle>{t('launchContext.title', { resource: said(listed.name) })}</PageTitle>
          {kind && (
            <span className={styles.count}>
              {kind.hasMore ? `${count}+` : count}
              <span className="visually-hidden"> {t('launchContext.available')}</span>
            </span>
          )}
        </div>
        {error && !isFetching && <NotLoaded error={error} onRetry={refetch} heading="h2" />}
        {slow && <CandidatesSkeleton />}
        {kind && (
          <Candidates
            kind={kind}
            selected={selected}
            onToggle={(id) => setSelected(id === selected ? null : id)}
            label={t('launchContext.title', { resource: said(listed.name) })}
          />
        )}
        {kind?.hasMore && <p className={styles.note}>{t('launchContext.more', { count })}</p>}
        <WayOut place={way.place} leaving={way.leaving || busy} onLeave={way.onLeave} />
      </div>
      <ActionBar label={t('launchContext.actions')} wide>
        <Button className={styles.skip} disabled={busy} onClick={() => onDone(null)}>
          {t(isLast && kind && count === 0 ? 'launchContext.finish' : 'launchContext.skip')}
        </Button>
        <Button
          type="primary"
          disabled={selected === null}
          loading={busy && selected !== null}
          onClick={() => onDone(selected)}
        >
          {t('launchContext.confirm')}
        </Button>
      </ActionBar>
    </>
  );
}

/** What depends on the patient is asked for once that is chosen; without one there is nothing. */
function useKindOfPatient(listed: LaunchContextKind, returnUrl: string, patient: string | undefined) {
  const skip = !listed.ofPatient || patient === undefined;
  const { data, error, isFetching, refetch } = useLaunchContextQuery({ returnUrl, patient }, { skip });
  const kind = skip ? listed : data?.resourceData.find(({ name }) => name === listed.name);
  return { kind: isFetching || error ? undefined : kind, error, isFetching, refetch };
}
