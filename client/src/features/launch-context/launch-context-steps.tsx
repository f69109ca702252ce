import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { LaunchContextRequest } from '../../../../src/contract/launch-context.js';
import type { Way } from '../../api/authorization.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { useChooseLaunchContextMutation } from '../../api/launch-context.js';
import { endedPage } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { focusPageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadingOverlay } from '../../shared/ui/placeholders/loading-overlay.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { LaunchContextStep } from './launch-context-step.js';

/** One kind after the other; what was chosen is sent after the last, and the browser goes back to the authorization. */
export function LaunchContextSteps({
  request,
  way,
  returnUrl,
}: {
  request: LaunchContextRequest;
  way: Way;
  returnUrl: string;
}) {
  const { clientName, resourceData: kinds } = request;
  const [chosen, setChosen] = useState<string[]>([]);
  const [index, setIndex] = useState(0);
  const [choose, { isLoading, isSuccess, error }] = useChooseLaunchContextMutation();
  const navigate = useNavigate();
  const shown = useRef(index);

  useEffect(() => {
    if (shown.current !== index) focusPageTitle();
    shown.current = index;
  }, [index]);

  const finish = async (resourceIds: string[]) => {
    const result = await choose({ returnUrl, resourceIds });
    if (!result.error) return leave(returnUrl);
    const status = 'status' in result.error ? result.error.status : undefined;
    if (status === 400) return navigate(endedPage(returnUrl), { replace: true });
    if (status !== 404) notifyFailure(result.error);
  };

  const next = (id: string | null) => {
    const ids = id === null ? chosen : [...chosen, id];
    if (index === kinds.length - 1) return void finish(ids);
    setChosen(ids);
    setIndex(index + 1);
  };

  const kind = kinds[index];
  if (!kind || (error && 'status' in error && error.status === 404)) return <NotFoundPage />;
  return (
    <>
      {isSuccess && <LoadingOverlay />}
      <LaunchContextStep
        key={kind.name}
        kind={kind}
        returnUrl={returnUrl}
        patient={chosen.find((id) => id.startsWith('Patient/'))}
        client={clientName}
        way={way}
        index={index}
        isLast={index === kinds.length - 1}
        busy={isLoading || isSuccess}
        onDone={next}
      />
    </>
  );
}
