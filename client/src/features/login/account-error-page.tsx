import { Button } from 'antd';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useSearchParams } from 'react-router-dom';
import { useLoginOptionsQuery } from '../../api/session.js';
import { knownReturnUrl, returnUrlOf, withReturnUrl } from '../../shared/addresses/return-url.js';
import { AppPlace } from '../../shared/ui/flow/app-place.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import './words/en.js';

/** For the request of an app only; the page is complete without it. */
const LeaveSignIn = lazy(() => import('./leave-sign-in.js').catch(() => ({ default: () => null })));
const ReferenceCard = lazy(() =>
  import('../../shared/ui/flow/reference-card.js').catch(() => ({ default: () => null })),
);

/** The last page of a sign-in whose account has not been set up. */
export function AccountErrorPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  const returnUrl = target?.address ?? null;
  const { data: options } = useLoginOptionsQuery({ returnUrl });
  // One that has ended is none to name, or to go back to.
  const app = options?.app;
  return (
    <>
      {target?.onServer && (!options || app) && <AppPlace app={app} />}
      <PageTitle className={card.title}>{t('accountError.title')}</PageTitle>
      <p className={card.lead}>{t('accountError.text')}</p>
      {options?.enableLocalLogin && (
        <Button type="primary" block onClick={() => navigate(withReturnUrl('/login', returnUrl))}>
          {t('common.goToLogin')}
        </Button>
      )}
      <Suspense fallback={null}>
        {app && returnUrl && <LeaveSignIn app={app} returnUrl={returnUrl} />}
        <ReferenceCard returnUrl="last" />
      </Suspense>
    </>
  );
}
