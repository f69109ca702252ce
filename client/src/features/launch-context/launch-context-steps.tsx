import { useEffect, useRef } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import type { LaunchContextRequest } from '../../../../src/contract/launch-context.js';
import type { FlowState } from '../../api/authorization.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { useChooseLaunchContextMutation } from '../../api/launch-context.js';
import { endedPage } from '../../shared/addresses/return-url.js';
import { leaveAnswered, markOpen } from '../../shared/browser/flow-history.js';
import { focusPageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadingOverlay } from '../../shared/ui/placeholders/loading-overlay.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { ForWhomStep, isForWhom } from './for-whom-step.js';
import { LaunchContextStep } from './launch-context-step.js';

/** Kept with the entry of a step in the browser's history, so that Back and a reload find the step as it was. */
interface Entry {
  index: number;
  /** Row ids chosen in the steps before. */
  chosen: string[];
  /** Row id of the choice with which the user continued. */
  selected?: string;
}

/** One kind after the other; what was chosen is sent after the last, and the browser goes back to the authorization. */
export function LaunchContextSteps({
  request,
  way,
  returnUrl,
  onReload,
}: {
  request: LaunchContextRequest;
  way: FlowState;
  returnUrl: string;
  onReload: () => void;
}) {
  const { resourceData: kinds } = request;
  const [choose, { isLoading, isSuccess, error }] = useChooseLaunchContextMutation();
  const navigate = useNavigate();
  const { pathname, search, state } = useLocation();
  const entry: Entry = state && kinds[state.index] ? state : { index: 0, chosen: [] };
  const { index, chosen } = entry;
  const shown = useRef(index);

  useEffect(markOpen, []);
  useEffect(() => {
    if (shown.current !== index) focusPageTitle();
    shown.current = index;
  }, [index]);

  const finish = async (resourceIds: string[]) => {
    const result = await choose({ returnUrl, resourceIds });
    if (!result.error) return leaveAnswered(returnUrl, true);
    const status = 'status' in result.error ? result.error.status : undefined;
    if (status === 400) return navigate(endedPage(returnUrl), { replace: true });
    if (status !== 404) notifyFailure(result.error);
  };

  const next = (id: string | null) => {
    const ids = id === null ? chosen : [...chosen, id];
    if (index === kinds.length - 1) return void finish(ids);
    const here = pathname + search;
    navigate(here, { replace: true, state: { ...entry, selected: id } });
    navigate(here, { state: { index: index + 1, chosen: ids } satisfies Entry });
  };

  const kind = kinds[index];
  if (!kind || (error && 'status' in error && error.status === 404)) return <NotFoundPage />;
  const before = [...(entry.selected ? [entry.selected] : []), ...request.chosen];
  return (
    <>
      {isSuccess && <LoadingOverlay />}
      {isForWhom(kind) ? (
        <ForWhomStep
          kind={kind}
          request={request}
          returnUrl={returnUrl}
          before={before.find((id) => id.startsWith('Patient/'))}
          way={way}
          busy={isLoading || isSuccess}
          onDone={next}
          onReload={onReload}
        />
      ) : (
        <LaunchContextStep
          key={kind.name}
          kind={kind}
          request={request}
          returnUrl={returnUrl}
          patient={chosen.find((id) => id.startsWith('Patient/'))}
          // Another patient has other visits: only the patient is still chosen.
          before={kind.name === 'Patient' ? before.find((id) => id.startsWith('Patient/')) : undefined}
          way={way}
          index={index}
          isLast={index === kinds.length - 1}
          busy={isLoading || isSuccess}
          onDone={next}
          onChangePatient={() => navigate(-index)}
        />
      )}
    </>
  );
}
