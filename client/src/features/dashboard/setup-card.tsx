import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { DashboardCounts } from '../../../../src/contract/dashboard.js';
import type { FirstSteps as Facts } from '../../../../src/contract/readiness.js';
import { useServerStatus } from '../../api/dashboard.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './dashboard-page.module.css';
import { FirstSteps, useFirstSteps } from './first-steps.js';
import { SetupStep } from './setup-step.js';

/** One list of what is to be done: the two steps until the portal is of use (`spec §9`), and what is worth doing. */
export function SetupCard({
  counts,
  facts,
  complete,
}: {
  counts: DashboardCounts | undefined;
  facts: Facts | undefined;
  complete: boolean;
}) {
  const first = useFirstSteps(facts);
  const isNeeded = counts !== undefined && !complete;
  if (!isNeeded && !first) return null;
  return (
    <div className={`${cardStyles.card} ${styles.setup}`}>
      {isNeeded && <SetupSteps counts={counts} />}
      {first && <FirstSteps {...first} below={isNeeded} />}
    </div>
  );
}

function SetupSteps({ counts }: { counts: DashboardCounts }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isAway = useServerStatus()?.isFirelyServerAvailable === false;
  const steps = [
    {
      title: t('dashboard.userStep'),
      help: t('dashboard.userStepHelp'),
      done: counts.numberOfUsers > 0,
      action: t('dashboard.addUser'),
      page: '/admin/user-management',
      // With the form open.
      to: '/admin/user-management?add=true',
      waits: false,
    },
    {
      title: t('dashboard.clientStep'),
      help: t('dashboard.clientStepHelp'),
      done: counts.numberOfClients > 0,
      action: t('dashboard.addClient'),
      page: '/admin/client-management',
      to: '/admin/client-management?add=true',
      // Its form is for a server that is there (`spec §2`).
      waits: isAway,
    },
  ];
  const done = steps.filter((step) => step.done).length;
  const next = steps.find((step) => !step.done && !step.waits);
  return (
    <section aria-labelledby="setup">
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
          <SetupStep key={step.page} number={index + 1} {...step}>
            {step.waits ? (
              <span className={styles.help}>{t('dashboard.waitsForServer')}</span>
            ) : (
              <Button type={step === next ? 'primary' : 'default'} onClick={() => navigate(step.to)}>
                {step.action}
              </Button>
            )}
          </SetupStep>
        ))}
      </ol>
    </section>
  );
}
