import { Button } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { FirstSteps as Facts } from '../../../../src/contract/readiness.js';
import { useServerStatus } from '../../api/dashboard.js';
import { formErrors, notifyFailure } from '../../api/failures/form-errors.js';
import { usePutFirstStepsAwayMutation, useSendTestMailMutation } from '../../api/readiness.js';
import { useSettings } from '../../api/settings.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { notify } from '../../shared/notices.js';
import styles from './dashboard-page.module.css';
import { SetupStep } from './setup-step.js';

const BrandingSheet = lazyOverlay(async () => (await import('./branding/branding-sheet.js')).BrandingSheet, {
  seldom: true,
});

interface Step {
  name: 'fhirServer' | 'mail' | 'branding' | 'secondFactor';
  done: boolean;
  act: () => void | Promise<void>;
}

/** Steps to take before users sign in; null when all of them are done, or they were hidden. */
export function useFirstSteps(facts: Facts | undefined): { steps: Step[]; branding: ReactNode } | null {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const status = useServerStatus();
  const { organizationTitle } = useSettings();
  const [sendMail] = useSendTestMailMutation();
  const [isTrying, setTrying] = useState(false);
  if (!facts || !status || facts.isPutAway) return null;

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
      act: () => navigate('/admin/connect-fhir-server'),
    },
    { name: 'mail', done: facts.mailArrived, act: sendTestMail },
    { name: 'branding', done: organizationTitle !== null, act: () => setTrying(true) },
    // An administrator who signs in at another provider has a second factor there.
    ...(facts.secondFactor === null
      ? []
      : [{ name: 'secondFactor' as const, done: facts.secondFactor, act: () => navigate('/admin/account-settings') }]),
  ];
  if (steps.every((step) => step.done)) return null;
  return { steps, branding: <BrandingSheet open={isTrying} onClose={() => setTrying(false)} /> };
}

/** A short list for the first administrator; `below` the steps that the portal needs, it continues their numbers. */
export function FirstSteps({ steps, branding, below }: { steps: Step[]; branding: ReactNode; below: boolean }) {
  const { t } = useTranslation();
  const [putAway, { isLoading }] = usePutFirstStepsAwayMutation();
  const dismiss = async () => {
    const { error } = await putAway({ isPutAway: true });
    if (error) return notifyFailure(error, formErrors(error).form[0]);
    const { notifyWithUndo } = await import('../../shared/undo-notice.js');
    notifyWithUndo({ text: t('dashboard.putAwayDone'), undo: () => putAway({ isPutAway: false }).unwrap() });
  };
  const done = steps.filter((step) => step.done).length;
  const Heading = below ? 'h3' : 'h2';
  return (
    <section className={below ? styles.further : undefined} aria-labelledby="first-steps">
      <div className={styles.setupHead}>
        <Heading id="first-steps">{t('dashboard.firstSteps')}</Heading>
        <p>{t('dashboard.setupProgress', { done, total: steps.length })}</p>
      </div>
      <p className={styles.help}>{t('dashboard.firstStepsLead')}</p>
      <ul className={styles.steps}>
        {steps.map((step, index) => (
          <SetupStep
            key={step.name}
            number={index + (below ? 3 : 1)}
            title={t(`dashboard.${step.name}Step`)}
            help={t(`dashboard.${step.name}StepHelp`)}
            done={step.done}
          >
            <Button onClick={step.act}>{t(`dashboard.${step.name}Action`)}</Button>
          </SetupStep>
        ))}
      </ul>
      <Button type="text" className={styles.putAway} loading={isLoading} onClick={dismiss}>
        {t('dashboard.putAway')}
      </Button>
      {branding}
    </section>
  );
}
