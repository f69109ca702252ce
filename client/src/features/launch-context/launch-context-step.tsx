import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LaunchContextKind } from '../../../../src/contract/launch-context.js';
import type { Way } from '../../api/authorization.js';
import { SearchField } from '../../shared/list/search-field.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { CancelFlow, FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Candidates } from './candidates.js';
import styles from './launch-context-page.module.css';
import { CandidatesSkeleton } from './launch-context-skeleton.js';
import { NotLoaded } from './not-loaded.js';
import { translateName } from './translate-name.js';
import { useCandidates } from './use-candidates.js';

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
  const candidates = useCandidates(listed, returnUrl, patient);
  const { kind, error, isFetching, refetch, searchTerm } = candidates;
  const slow = useSlow(isFetching);
  const count = kind?.data.length ?? 0;
  const loaded = useFocusOnLoaded(count);

  return (
    <>
      <FlowColumn wide>
        <FlowProgress place={way.place ?? { clientName: client, step: 1, total: 1 }} page={index} alone />
        <StepHead name={listed.name} kind={kind} />
        {candidates.canSearch && (
          <search className={styles.search}>
            <SearchField
              value={searchTerm}
              // A selection that is out of sight must not be confirmed.
              onSearch={(term) => {
                setSelected(null);
                candidates.search(term);
              }}
              placeholder={t(listed.name === 'Patient' ? 'launchContext.search.Patient' : 'launchContext.search.other')}
            />
          </search>
        )}
        {error && <NotLoaded error={error} onRetry={refetch} heading="h2" />}
        {slow && <CandidatesSkeleton />}
        {kind && (
          <div ref={loaded.list}>
            <Candidates
              kind={kind}
              empty={t(searchTerm === '' ? 'launchContext.empty' : 'launchContext.notFound')}
              selected={selected}
              onToggle={(id) => setSelected(id === selected ? null : id)}
              label={t('launchContext.title', { resource: translateName('types', listed.name) })}
            />
          </div>
        )}
        <p role="status" className="visually-hidden">
          {kind && searchTerm !== '' && t('launchContext.loaded', { count })}
        </p>
        {kind && kind.next !== null && (
          <Button
            className={styles.more}
            loading={candidates.loadingMore}
            onClick={() => {
              loaded.expect();
              void candidates.loadMore();
            }}
          >
            {t('launchContext.more')}
          </Button>
        )}
        <CancelFlow place={way.place} leaving={way.leaving || busy} onLeave={way.onLeave} />
      </FlowColumn>
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

/** What is chosen, and the number of candidates. */
function StepHead({ name, kind }: { name: string; kind: LaunchContextKind | undefined }) {
  const { t } = useTranslation();
  return (
    <div className={styles.head}>
      <PageTitle>{t('launchContext.title', { resource: translateName('types', name) })}</PageTitle>
      {kind && (
        <span className={styles.count}>
          {kind.next === null ? kind.data.length : `${kind.data.length}+`}
          <span className="visually-hidden"> {t('launchContext.available')}</span>
        </span>
      )}
    </div>
  );
}

/** Moves the focus to the first row that "Load more" has added: the button that had it moves away, or is gone. */
function useFocusOnLoaded(count: number) {
  const list = useRef<HTMLDivElement>(null);
  const loadedFrom = useRef<number>(undefined);
  useEffect(() => {
    if (loadedFrom.current === undefined || count <= loadedFrom.current) return;
    list.current?.querySelectorAll<HTMLElement>('input[type=radio]')[loadedFrom.current]?.focus();
    loadedFrom.current = undefined;
  }, [count]);
  const expect = () => {
    loadedFrom.current = count;
  };
  return { list, expect };
}
