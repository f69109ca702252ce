import { LockOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { stepPages } from '../../../../src/contract/rules/pages.js';
import { useFlowProgress } from '../../api/authorization.js';
import { useSessionQuery } from '../../api/session.js';
import { withReturnUrl } from '../../shared/addresses/return-url.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { PatientBanner } from '../../shared/ui/flow/patient-banner.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import styles from './acting.module.css';

/** In place of the question when the user may grant nothing of what the app asks for: the way back to the app. */
export function NothingPermitted({ request, returnUrl }: { request: ConsentRequest; returnUrl: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { data: user } = useSessionQuery();
  const { leaving, onLeave } = useFlowProgress(returnUrl);
  const { patient, clientName } = request;
  const client = isolateName(clientName);
  return (
    <>
      {patient && <PatientBanner patient={patient} user={user?.fullName} returnUrl={returnUrl} />}
      <FlowColumn>
        <div className={styles.none} role="alert">
          <LockOutlined aria-hidden className={styles.sign ?? ''} />
          <PageTitle>{t('consent.acting.noneTitle', { client })}</PageTitle>
          <p>{t('consent.acting.noneText')}</p>
        </div>
      </FlowColumn>
      <ActionBar label={t('consent.actions')}>
        {patient?.canChange !== false && (
          <Button disabled={leaving} onClick={() => navigate(withReturnUrl(stepPages['launch-context'], returnUrl))}>
            {t('consent.acting.otherPerson')}
          </Button>
        )}
        <Button type="primary" loading={leaving} onClick={onLeave}>
          {t('consent.acting.back', { client })}
        </Button>
      </ActionBar>
    </>
  );
}
