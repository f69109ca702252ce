import { InfoCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import type { LoginOptions } from '../../../../src/contract/session.js';
import { useLoginOptionsQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { externalSignIn } from '../../shared/addresses/external-sign-in.js';
import { endedPage, knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { recordSignOut } from '../../shared/browser/visit.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { ErrorList } from '../../shared/ui/forms/error-list.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Redirect } from '../../shared/ui/placeholders/redirect.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { LoginForm } from './login-form.js';
import { ProviderButtons } from './provider-buttons.js';
import { onlyProvider, refusalText } from './providers.js';
import './words/en.js';

/** Rarely needed, and the one thing on this page that needs the code of dialogs. */
const InitializingDialog = lazy(() =>
  import('./initializing-dialog.js').then((m) => ({ default: m.InitializingDialog })),
);

/** Rarely shown, unless passkeys are required. */
const PasskeyOffer = lazy(() => import('../passkeys/passkey-offer.js').then((m) => ({ default: m.PasskeyOffer })));

/** For the request of an app only; the page is complete without it. */
const LeaveSignIn = lazy(() => import('./leave-sign-in.js').catch(() => ({ default: () => null })));

/** The sign-in methods that are offered for this request; a return URL that is not ours is not passed on. */
export function LoginPage() {
  const { t } = useTranslation();
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  const returnUrl = target?.address ?? null;
  const { data: options, isError, isFetching, refetch } = useLoginOptionsQuery({ returnUrl });
  const { loginPageText, organizationTitle } = useSettings();
  const slow = useSlow(isFetching);
  const signedOut = query.has('loggedOut');
  useEffect(() => {
    if (signedOut) recordSignOut();
  }, [signedOut]);
  const notice = noticeOf(query);
  const [afterOffer, setAfterOffer] = useState<(() => unknown) | null>(null);

  if (afterOffer) {
    return (
      <Suspense fallback={null}>
        <PasskeyOffer app={options?.app?.clientName} onDone={afterOffer} />
      </Suspense>
    );
  }
  if (options && !options.enableLocalLogin && options.externalProviders.length === 0) {
    return <Navigate to="/error/500" replace />;
  }
  const straightTo = options && onlyProvider(options, query);
  if (straightTo) return <Redirect address={externalSignIn(straightTo, returnUrl)} />;

  // A password would be typed for nothing.
  if (target?.onServer && options && !options.app) return <Navigate to={endedPage(returnUrl)} replace />;

  return (
    <>
      {target?.onServer && <AppPlace app={options?.app} />}
      <PageTitle className={card.title}>{t('login.title')}</PageTitle>
      <p className={card.lead}>
        {loginPageText ?? t('login.lead', { organization: isolateName(organizationTitle ?? t('product.name')) })}
      </p>
      {notice && (
        <p className={card.notice} role="status">
          <InfoCircleOutlined aria-hidden />
          <span>{t(notice)}</span>
        </p>
      )}
      {options && (
        <Doors options={options} returnUrl={returnUrl} query={query} onOffer={(goOn) => setAfterOffer(() => goOn)} />
      )}
      {!options && isError && <LoadFailed onRetry={refetch} />}
      {!options && slow && (
        <div aria-hidden="true" className={card.skeleton}>
          <Skeleton width={48} />
          <Skeleton height={48} />
          <Skeleton width={72} />
          <Skeleton height={48} />
          <Skeleton height={48} />
        </div>
      )}
    </>
  );
}

/** Key of the text about what led to this page. */
function noticeOf(query: URLSearchParams) {
  if (query.has('ended')) return 'login.ended';
  if (query.has('deleted')) return query.get('deleted') === 'later' ? 'login.deletedLater' : 'login.deleted';
  return query.has('loggedOut') ? 'login.signedOut' : undefined;
}

function Doors({
  options,
  returnUrl,
  query,
  onOffer,
}: {
  options: LoginOptions;
  returnUrl: string | null;
  query: URLSearchParams;
  onOffer: (goOn: () => unknown) => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { askersWithoutAccount } = useSettings();
  const error = query.get('error');
  const [initializing, setInitializing] = useState(error === 'fhir-connection-required');
  const [errors, setErrors] = useState<string[]>(error && !initializing ? [t(refusalText(error))] : []);
  return (
    <>
      {options.enableLocalLogin ? (
        <LoginForm
          options={options}
          returnUrl={returnUrl}
          errors={errors}
          onErrors={setErrors}
          onInitializing={() => setInitializing(true)}
          onOffer={onOffer}
        />
      ) : (
        <ErrorList errors={errors} />
      )}
      <ProviderButtons options={options} returnUrl={returnUrl} />
      {options.app && returnUrl && (
        <Suspense fallback={null}>
          <LeaveSignIn app={options.app} returnUrl={returnUrl} />
        </Suspense>
      )}
      {askersWithoutAccount && options.enableLocalLogin && (
        <Button type="text" block className={card.below} onClick={() => navigate('/ask')}>
          {t('login.askWithoutAccount')}
        </Button>
      )}
      {query.has('firstVisit') && (
        <Button type="text" block className={card.below} onClick={() => navigate('/welcome')}>
          {t('common.goBack')}
        </Button>
      )}
      {initializing && (
        <Suspense>
          <InitializingDialog onClose={() => setInitializing(false)} />
        </Suspense>
      )}
    </>
  );
}
