import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type {
  LaunchContextKind,
  LaunchContextRequest,
  PatientInContext,
} from '../../../../src/contract/launch-context.js';
import type { FlowState } from '../../api/authorization.js';
import { useSessionQuery } from '../../api/session.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { SearchField } from '../../shared/list/search-field.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { CancelFlow, FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import { PatientBanner } from '../../shared/ui/flow/patient-banner.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Count } from '../../shared/ui/marks/count.js';
import { Candidates } from './candidates.js';
import styles from './launch-context-page.module.css';
import { CandidatesSkeleton } from './launch-context-skeleton.js';
import { NotLoaded } from './not-loaded.js';
import { titleOf } from './translate-name.js';
import { useCandidates } from './use-candidates.js';

/** The choice of one resource, or of none. */
export function LaunchContextStep({
  kind: listed,
  request,
  returnUrl,
  patient,
  before,
  way,
  index,
  isLast,
  busy,
  onDone,
  onChangePatient,
}: {
  kind: LaunchContextKind;
  request: LaunchContextRequest;
  returnUrl: string;
  /** The patient chosen in an earlier step. */
  patient: string | undefined;
  /** The row that the user had chosen here before. */
  before: string | undefined;
  way: FlowState;
  index: number;
  isLast: boolean;
  busy: boolean;
  onDone: (id: string | null) => void;
  onChangePatient: () => void;
}) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  // Undefined until the user selects a row or takes the selection back.
  const [touched, setSelected] = useState<string | null>();
  const candidates = useCandidates(listed, returnUrl, patient);
  const { kind, error, isFetching, refetch, searchTerm } = candidates;
  const slow = useSlow(isFetching);
  const count = kind?.data.length ?? 0;
  const named = patient === undefined ? request.patient : candidates.patient;
  const selected = touched === undefined ? firstSelected(kind, before, searchTerm === '') : touched;
  const { clientName, step } = request;
  const isVisits = listed.name === 'Encounter';
  const of = { patient: isolateName(named?.name ?? '') };

  return (
    <>
      {named && (
        <PatientBanner patient={named} user={user?.fullName} returnUrl={returnUrl} onChange={onChangePatient} />
      )}
      <FlowColumn wide>
        <FlowProgress place={{ total: 1, ...way.place, clientName, step }} page={index} alone />
        <StepHead
          name={listed.name}
          kind={kind}
          lead={named && isVisits && count > 0 ? t('launchContext.visitsOf', of) : ''}
        />
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
          <Results
            candidates={candidates}
            kind={kind}
            empty={
              searchTerm === ''
                ? t(emptyOf(isVisits, named, listed.ofPatient && patient === undefined), of)
                : t('launchContext.notFound')
            }
            selected={selected}
            onToggle={(id) => setSelected(id === selected ? null : id)}
          />
        )}
        <p role="status" className="visually-hidden">
          {kind && searchTerm !== '' && t('launchContext.loaded', { count })}
        </p>
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

/** The kind of the choice, the number of candidates, and whose they are. */
function StepHead({ name, kind, lead }: { name: string; kind: LaunchContextKind | undefined; lead: string }) {
  const { t } = useTranslation();
  const shown = kind && (kind.next === null && !kind.isCut ? String(kind.data.length) : `${kind.data.length}+`);
  return (
    <div className={styles.head}>
      <PageTitle>{titleOf(name)}</PageTitle>
      {shown && <Count shown={shown} words={t('launchContext.availableOf', { number: shown })} />}
      {lead && <p className={styles.lead}>{lead}</p>}
    </div>
  );
}

/** The rows, and the button that loads more of them. */
function Results({
  candidates,
  kind,
  empty,
  selected,
  onToggle,
}: {
  candidates: ReturnType<typeof useCandidates>;
  kind: LaunchContextKind;
  empty: string;
  selected: string | null;
  onToggle: (id: string) => void;
}) {
  const { t } = useTranslation();
  const count = kind.data.length;
  const loaded = useFocusOnLoaded(count);
  return (
    <>
      <div ref={loaded.list}>
        <Candidates kind={kind} empty={empty} selected={selected} onToggle={onToggle} label={titleOf(kind.name)} />
      </div>
      {kind.isCut && <p role="status">{t('launchContext.cut')}</p>}
      {kind.next !== null && (
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
    </>
  );
}

function emptyOf(isVisits: boolean, named: PatientInContext | null | undefined, ofPatient: boolean) {
  if (!named) return ofPatient ? 'launchContext.patientFirst' : 'launchContext.empty';
  return isVisits ? 'launchContext.noVisitsOf' : 'launchContext.noneOf';
}

/** The earlier choice, or the only one that there is of a patient; never a row that is not listed. */
function firstSelected(
  kind: LaunchContextKind | undefined,
  before: string | undefined,
  isWhole: boolean,
): string | null {
  const rows = kind?.data ?? [];
  const single =
    isWhole && kind?.name === 'Encounter' && kind.next === null && !kind.isCut && rows.length === 1
      ? rows[0]
      : undefined;
  return (rows.find(({ id }) => id === before) ?? single)?.id ?? null;
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
