import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { DashboardCounts } from '../../../../src/contract/dashboard.js';
import type { FirstSteps as Facts } from '../../../../src/contract/readiness.js';
import { useServerStatus } from '../../api/dashboard.js';
import { formErrors, notifyFailure } from '../../api/failures/form-errors.js';
import { usePutFirstStepsAwayMutation, useSendTestMailMutation } from '../../api/readiness.js';
import { useSettings } from '../../api/settings.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { notify } from '../../shared/notices.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { StepMark } from '../../shared/ui/marks/step-mark.js';
import styles from './dashboard-page.module.css';

const BrandingSheet = lazyOverlay(async () => (await import('./branding/branding-sheet.js')).BrandingSheet, {
  seldom: true,
});

interface Step {
  name: 'fhirServer' | 'mail' | 'branding' | 'firstApp' | 'secondFactor';
  done: boolean;
  act: () => void | Promise<void>;
}

/** A short list for the first administrator, until everything is done or it is put away. */
export function FirstSteps({ counts, facts }: { counts: DashboardCounts | undefined; facts: Facts | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const status = useServerStatus();
  const { organizationTitle } = useSettings();
  const [putAway, { isLoading }] = usePutFirstStepsAwayMutation();
  const [sendMail] = useSendTestMailMutation();
  const [isTrying, setTrying] = useState(false);
  if (!counts || !facts || !status || facts.isPutAway) return null;

  /** It is done when the administrator has followed the link of the mail. */
  const sendTestMail = async () => {
    const { error } = await sendMail();
    if (error) notifyFailure(error, formErrors(error).form[0]);
    else notify('success', t('dashboard.testMailSent'));
  };
  const steps: Step[] = [
    {
      name: 'fhirServer',
      done: status.isFirelyServerAvailable && status.isAllDataLoaded,
      act: () => navigate('/admin/readiness'),
    },
    { name: 'mail', done: facts.mailArrived, act: sendTestMail },
    { name: 'branding', done: organizationTitle !== null, act: () => setTrying(true) },
    {
      name: 'firstApp',
      done: counts.numberOfClients > 0,
      act: () => navigate('/admin/client-management?add=true'),
    },
    // An administrator who signs in at another provider has a second factor there.
    ...(facts.secondFactor === null
      ? []
      : [{ name: 'secondFactor' as const, done: facts.secondFactor, act: () => navigate('/admin/account-settings') }]),
  ];
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length) return null;

  const dismiss = async () => {
    const { error } = await putAway({ isPutAway: true });
    if (error) return notifyFailure(error, formErrors(error).form[0]);
    const { notifyWithUndo } = await import('../../shared/undo-notice.js');
    notifyWithUndo({ text: t('dashboard.putAwayDone'), undo: () => putAway({ isPutAway: false }).unwrap() });
  };

  return (
    <section className={`${cardStyles.card} ${styles.setup}`} aria-labelledby="first-steps">
      <div className={styles.setupHead}>
        <h2 id="first-steps">{t('dashboard.firstSteps')}</h2>
        <p>{t('dashboard.setupProgress', { done, total: steps.length })}</p>
      </div>
      <p className={styles.help}>{t('dashboard.firstStepsLead')}</p>
      <ul className={styles.steps}>
        {steps.map((step, index) => (
          <li key={step.name}>
            <StepMark look={step.done ? 'done' : 'open'} number={index + 1} />
            <span className={styles.step}>
              <span className={styles.stepTitle}>{t(`dashboard.${step.name}Step`)}</span>
              <span className={styles.help}>{t(`dashboard.${step.name}StepHelp`)}</span>
            </span>
            {step.done ? (
              <span className={styles.help}>{t('dashboard.done')}</span>
            ) : (
              <Button onClick={step.act}>{t(`dashboard.${step.name}Action`)}</Button>
            )}
          </li>
        ))}
      </ul>
      <Button type="text" className={styles.putAway} loading={isLoading} onClick={dismiss}>
        {t('dashboard.putAway')}
      </Button>
      <BrandingSheet open={isTrying} onClose={() => setTrying(false)} />
    </section>
  );
}
