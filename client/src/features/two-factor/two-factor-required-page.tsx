import './words/en.js';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { useFlowProgress } from '../../api/authorization.js';
import { isGone } from '../../api/failures/form-errors.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { usePasskeysQuery } from '../../api/users/passkeys.js';
import { useTwoFactorSetupQuery } from '../../api/users/two-factor.js';
import { knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { supportsPasskeys } from '../../shared/browser/passkey-support.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import { CancelFlow, FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { NotFoundDialog } from '../../shared/ui/overlays/not-found-dialog.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { Activation } from './activation.js';
import { PasskeyFactor } from './passkey-factor.js';
import { RecoveryCodesDialog } from './recovery-codes-dialog.js';
import { RequiredPasskey } from './required-passkey.js';
import { VerificationForm } from './verification-form.js';

/** The page is complete without it. */
const ReferenceCard = lazy(() =>
  import('../../shared/ui/flow/reference-card.js').catch(() => ({ default: () => null })),
);

/** A client wants a second factor that the session lacks; reached only on the way of an authorization. */
export function TwoFactorRequiredPage() {
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  if (!target?.onServer) return <Navigate to="/error/400" replace />;
  return <Required returnUrl={target.to} />;
}

function Required({ returnUrl }: { returnUrl: string }) {
  const { t } = useTranslation();
  const { place, isLoading, leaving, onLeave } = useFlowProgress(returnUrl);
  // The card takes its place in the middle once it is known how high it is.
  if (isLoading) return <h1 className="visually-hidden">{t('common.loading')}</h1>;
  return (
    <>
      {place && <AppPlace app={place} />}
      <FlowProgress place={place} />
      <PageTitle className={card.title}>
        {t(place?.needsPasskey ? 'twoFactor.passkeyTitle' : 'twoFactor.requiredTitle')}
      </PageTitle>
      <p className={card.lead}>{t(place?.needsPasskey ? 'twoFactor.passkeyLead' : 'twoFactor.requiredLead')}</p>
      {place?.needsPasskey ? (
        <RequiredPasskey returnUrl={returnUrl} onVerified={() => leave(returnUrl)} />
      ) : (
        <SecondFactor returnUrl={returnUrl} />
      )}
      <CancelFlow place={place} leaving={leaving} onLeave={onLeave} />
      <Suspense fallback={null}>
        <ReferenceCard returnUrl={returnUrl} />
      </Suspense>
    </>
  );
}

/** Asks for the factor that the account has, or sets one up. */
function SecondFactor({ returnUrl }: { returnUrl: string }) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);
  const enrolled = Boolean(user?.is2faEnabled) && !recoveryCodes;
  const { data: setup, error, isFetching, refetch } = useTwoFactorSetupQuery({ returnUrl }, { skip: enrolled });
  const slow = useSlow(isFetching && !setup);
  const [gone, setGone] = useState(false);
  const { passkeysAllowed } = useSettings();
  const { data: own } = usePasskeysQuery(undefined, {
    skip: !passkeysAllowed || !supportsPasskeys() || Boolean(user?.isExternal),
  });
  const hasPasskey = (own?.passkeys.length ?? 0) > 0 && !recoveryCodes;
  const goOn = () => leave(returnUrl);
  const showGone = () => setGone(true);
  // 409: it was set up in another window meanwhile.
  if (enrolled || (error && 'status' in error && error.status === 409)) {
    return <VerificationForm returnUrl={returnUrl} hasPasskey={hasPasskey} onVerified={goOn} />;
  }
  if (setup && !isGone(error)) {
    const handOver = (codes: string[] | null) => (codes ? setRecoveryCodes(codes) : goOn());
    return (
      <>
        {hasPasskey && <PasskeyFactor returnUrl={returnUrl} onVerified={goOn} />}
        <Activation setup={setup} returnUrl={returnUrl} onActivated={handOver} onGone={showGone} onStale={refetch} />
        {gone && <NotFoundDialog text={t('gone.general')} />}
        {recoveryCodes && <RecoveryCodesDialog codes={recoveryCodes} onConfirm={goOn} />}
      </>
    );
  }
  if (isGone(error)) return <NotFoundDialog text={t('gone.general')} />;
  if (error && !isFetching) return <LoadFailed onRetry={refetch} />;
  return (
    slow && (
      <div aria-hidden="true" className={card.skeleton}>
        <Skeleton width={176} height={176} />
        <Skeleton height={48} />
        <Skeleton height={56} />
        <Skeleton height={48} />
      </div>
    )
  );
}
