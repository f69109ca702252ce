import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useSearchParams } from 'react-router-dom';
import { useWay } from '../../api/authorization.js';
import { isGone } from '../../api/form-errors.js';
import { useSessionQuery } from '../../api/session.js';
import { useTwoFactorSetupQuery } from '../../api/two-factor.js';
import { leave } from '../../shared/leave.js';
import { knownReturnUrl, returnUrlOf } from '../../shared/return-url.js';
import { Bone } from '../../shared/ui/bones.js';
import card from '../../shared/ui/card-form.module.css';
import { GoneDialog } from '../../shared/ui/gone.js';
import { LoadFailed } from '../../shared/ui/load-failed.js';
import { PageTitle } from '../../shared/ui/page-title.js';
import { WayOut, WayPlace } from '../../shared/ui/way.js';
import { useSlow } from '../../shared/use-slow.js';
import { Activation } from './activation.js';
import { RecoveryCodesDialog } from './recovery-codes-dialog.js';
import { VerificationForm } from './verification-form.js';

/** A client wants a second factor that the session lacks; reached only on the way of an authorization. */
export function TwoFactorRequiredPage() {
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  if (!target?.onServer) return <Navigate to="/error/400" replace />;
  return <Required returnUrl={target.to} />;
}

function Required({ returnUrl }: { returnUrl: string }) {
  const { t } = useTranslation();
  const { place, isLoading, leaving, onLeave } = useWay(returnUrl);
  // The card takes its place in the middle once it is known how high it is.
  if (isLoading) return <h1 className="visually-hidden">{t('common.loading')}</h1>;
  return (
    <>
      <WayPlace place={place} />
      <PageTitle className={card.title}>{t('twoFactor.requiredTitle')}</PageTitle>
      <p className={card.lead}>{t('twoFactor.requiredLead')}</p>
      <SecondFactor returnUrl={returnUrl} />
      <WayOut place={place} leaving={leaving} onLeave={onLeave} />
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
  const goOn = () => leave(returnUrl);
  const showGone = () => setGone(true);
  // 409: it was set up in another window meanwhile.
  if (enrolled || (error && 'status' in error && error.status === 409)) {
    return <VerificationForm returnUrl={returnUrl} onVerified={goOn} />;
  }
  if (setup && !isGone(error)) {
    const handOver = (codes: string[] | null) => (codes ? setRecoveryCodes(codes) : goOn());
    return (
      <>
        <Activation setup={setup} returnUrl={returnUrl} onActivated={handOver} onGone={showGone} onStale={refetch} />
        {gone && <GoneDialog text={t('gone.general')} />}
        {recoveryCodes && <RecoveryCodesDialog codes={recoveryCodes} onConfirm={goOn} />}
      </>
    );
  }
  if (isGone(error)) return <GoneDialog text={t('gone.general')} />;
  if (error && !isFetching) return <LoadFailed onRetry={refetch} />;
  return (
    slow && (
      <div aria-hidden="true" className={card.bones}>
        <Bone width={176} height={176} />
        <Bone height={48} />
        <Bone height={56} />
        <Bone height={48} />
      </div>
    )
  );
}
