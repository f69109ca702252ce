import { Button } from 'antd';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { useLoginOptionsQuery } from '../../api/session.js';
import card from '../../shared/ui/forms/card-form.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';

/** The page is complete without it. */
const ReferenceCard = lazy(() =>
  import('../../shared/ui/flow/reference-card.js').catch(() => ({ default: () => null })),
);

/** The last page of a sign-in whose account has not been set up. */
export function AccountErrorPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: options } = useLoginOptionsQuery({ returnUrl: null });
  return (
    <>
      <PageTitle className={card.title}>{t('accountError.title')}</PageTitle>
      <p className={card.lead}>{t('accountError.text')}</p>
      {options?.enableLocalLogin && (
        <Button type="primary" block onClick={() => navigate('/login')}>
          {t('common.goToLogin')}
        </Button>
      )}
      <Suspense fallback={null}>
        <ReferenceCard returnUrl="last" />
      </Suspense>
    </>
  );
}
