import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { Disclaimer, DisclaimerList } from '../../../../src/contract/disclaimers.js';
import {
  type FlowState,
  useLazyAuthorizationPlaceQuery,
  useLazyEndedAuthorizationQuery,
} from '../../api/authorization.js';
import { useAgreeToDisclaimersMutation } from '../../api/disclaimers.js';
import { isGone, isRefusedFor, notifyFailure } from '../../api/failures/form-errors.js';
import { endedPage } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { notify } from '../../shared/notices.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { CancelFlow, FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadingOverlay } from '../../shared/ui/placeholders/loading-overlay.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { DisclaimerDialog } from './disclaimer-dialog.js';
import { DisclaimerRow } from './disclaimer-row.js';
import styles from './disclaimers-page.module.css';

/**
 * Every disclaimer, each agreed to in the dialog that shows its text; then the browser goes back to the authorization.
 */
export function DisclaimersForm({ list, way, returnUrl }: { list: DisclaimerList; way: FlowState; returnUrl: string }) {
  const { t } = useTranslation();
  const { disclaimers, clientName } = list;
  const [agreed, setAgreed] = useState<ReadonlySet<string>>(
    () => new Set(disclaimers.filter(({ hasAlreadyAgreed }) => hasAlreadyAgreed).map(({ id }) => id)),
  );
  const [shown, setShown] = useState<{ disclaimer: Disclaimer; open: boolean } | null>(null);
  const { confirm, isLoading, isSuccess, error } = useAgreement(returnUrl);

  const tick = (disclaimer: Disclaimer, on: boolean) => {
    const { id } = disclaimer;
    if (on) return setShown({ disclaimer, open: true });
    setAgreed(new Set([...agreed].filter((other) => other !== id)));
  };

  const accept = ({ id }: Disclaimer) => {
    setAgreed(new Set([...agreed, id]));
    close();
  };

  // Closed but still there, so that it is not empty while it fades.
  const close = () => setShown((last) => last && { ...last, open: false });

  if (isGone(error)) return <NotFoundPage />;

  return (
    <>
      {isSuccess && <LoadingOverlay />}
      <FlowColumn>
        {way.place && <AppPlace app={way.place} />}
        <FlowProgress place={way.place} />
        <PageTitle>{t('disclaimers.title')}</PageTitle>
        <p className={styles.lead}>{t('disclaimers.lead')}</p>
        <section aria-labelledby="disclaimers-list">
          <div className={styles.head}>
            <h2 id="disclaimers-list">{t('disclaimers.list')}</h2>
            <p className={styles.count} aria-live="polite">
              {t('disclaimers.agreed', { count: agreed.size, total: disclaimers.length })}
            </p>
          </div>
          <ul className={cardStyles.card}>
            {disclaimers.map((disclaimer) => (
              <DisclaimerRow
                key={disclaimer.id}
                disclaimer={disclaimer}
                client={clientName}
                checked={agreed.has(disclaimer.id)}
                onTick={(on) => tick(disclaimer, on)}
                onShow={() => setShown({ disclaimer, open: true })}
              />
            ))}
          </ul>
        </section>
        {error && !isLoading && (
          <div className={styles.failed}>
            <ErrorList errors={[t('disclaimers.missing')]} />
          </div>
        )}
        <CancelFlow place={way.place} leaving={way.leaving || isLoading || isSuccess} onLeave={way.onLeave} />
      </FlowColumn>

      <ActionBar label={t('disclaimers.actions')}>
        <Button
          type="primary"
          disabled={agreed.size < disclaimers.length || way.leaving}
          loading={isLoading}
          onClick={() => confirm([...agreed])}
        >
          {t('disclaimers.confirm')}
        </Button>
      </ActionBar>

      {shown && (
        <DisclaimerDialog
          disclaimer={shown.disclaimer}
          open={shown.open}
          onClose={close}
          onAccept={() => accept(shown.disclaimer)}
        />
      )}
    </>
  );
}

/** Sends the agreements; then the browser continues with the authorization. */
function useAgreement(returnUrl: string) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [findPlace] = useLazyAuthorizationPlaceQuery();
  const [findEnd] = useLazyEndedAuthorizationQuery();
  const [send, { isLoading, isSuccess, error }] = useAgreeToDisclaimersMutation();

  const confirm = async (disclaimerIds: string[]) => {
    const result = await send({ returnUrl, disclaimerIds });
    if (!result.error) return leave(returnUrl);
    if (isGone(result.error)) return;
    if (isRefusedFor(result.error, 'request-invalid')) return goOn();
    notifyFailure(result.error, t('disclaimers.missing'));
  };

  /** The request is not at this step any more: it was answered elsewhere, and continues from its current step. */
  const goOn = async (): Promise<void> => {
    notify('success', t('disclaimers.answered'));
    // Any returnUrl of the request leads to that step.
    const { isSuccess: isWaiting } = await findPlace({ returnUrl });
    const forward = isWaiting ? returnUrl : (await findEnd({ returnUrl })).data?.goesOnAt;
    if (forward) leave(forward);
    else navigate(endedPage(returnUrl), { replace: true });
  };

  return { confirm, isLoading, isSuccess, error };
}
