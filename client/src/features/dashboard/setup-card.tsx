import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { DashboardCounts } from '../../../../src/contract/dashboard.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { StepMark } from '../../shared/ui/marks/step-mark.js';
import styles from './dashboard-page.module.css';

/** The two steps until the portal is of use (`spec §9`). */
export function SetupCard({ counts }: { counts: DashboardCounts }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const steps = [
    {
      title: t('dashboard.userStep'),
      help: t('dashboard.userStepHelp'),
      done: counts.numberOfUsers > 0,
      action: t('dashboard.addUser'),
      page: '/admin/user-management',
      // With the form open.
      to: '/admin/user-management?add=true',
    },
    {
      title: t('dashboard.clientStep'),
      help: t('dashboard.clientStepHelp'),
      done: counts.numberOfClients > 0,
      action: t('dashboard.addClient'),
      page: '/admin/client-management',
      to: '/admin/client-management?add=true',
    },
  ];
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done);
  return (
    <section className={`${cardStyles.card} ${styles.setup}`} aria-labelledby="setup">
      <div className={styles.setupHead}>
        <h2 id="setup">{t('dashboard.setupTitle')}</h2>
        <p>{t('dashboard.setupProgress', { done, total: steps.length })}</p>
      </div>
      <div
        role="progressbar"
        aria-labelledby="setup"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={(done / steps.length) * 100}
        className={styles.setupBar}
      >
        <span style={{ inlineSize: `${(done / steps.length) * 100}%` }} />
      </div>
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <li key={step.page}>
            <StepMark look={step.done ? 'done' : 'open'} number={index + 1} />
            <span className={styles.step}>
              <span className={styles.stepTitle}>{step.title}</span>
              <span className={styles.help}>{step.help}</span>
            </span>
            {step.done && <span className={styles.help}>{t('dashboard.done')}</span>}
            {!step.done && (
              <Button type={step === next ? 'primary' : 'default'} onClick={() => navigate(step.to)}>
                {step.action}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
