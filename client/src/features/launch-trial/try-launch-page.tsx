import './words/en.js';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate } from 'react-router-dom';
import type { TrialReturn } from '../../../../src/contract/clients/launch-trial.js';
import { useAnswerTrialMutation } from '../../api/clients/launch-trial.js';
import { formErrors, notifyFailure } from '../../api/failures/form-errors.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { TrialForm } from './trial-form.js';
import { TrialOutcome } from './trial-outcome.js';
import styles from './try-launch.module.css';
import '../../shared/addresses/words/en.js';

/**
 * The page on which an administrator tries a launch of a client: its form, the arrival of the answer, and its outcome.
 */
export function TryLaunchPage() {
  const { t } = useTranslation();
  const { query } = usePageQuery();
  const [client, id, state] = ['client', 'id', 'state'].map((name) => query.get(name));
  if (!client && !id && !state) return <Navigate to="/admin/client-management" replace />;
  return (
    <div data-width="wide" className={styles.page}>
      <nav aria-label={t('launchTrial.position')}>
        <ol className={styles.path}>
          <li>
            <Link className="target" to="/admin/client-management">
              {t('navigation.clients')}
            </Link>
          </li>
          <li aria-current="page">{t('launchTrial.title')}</li>
        </ol>
      </nav>
      {state ? (
        <Arriving id={state} />
      ) : id ? (
        <TrialOutcome id={id} />
      ) : (
        <TrialForm key={client} client={client ?? ''} />
      )}
    </div>
  );
}

/** The answer to the authorization request is in the address, which is then that of the trial. */
function Arriving({ id }: { id: string }) {
  const { t } = useTranslation();
  const { query, change } = usePageQuery();
  const [answer] = useAnswerTrialMutation();
  const effects = useRef({ answer, change, query });
  effects.current = { answer, change, query };
  useEffect(() => {
    const finish = async () => {
      const { error } = await effects.current.answer({ id, ...returned(effects.current.query) });
      if (error) notifyFailure(error, formErrors(error).form[0]);
      effects.current.change(() => new URLSearchParams({ id }), { replace: true });
    };
    void finish();
  }, [id]);
  return (
    <>
      <PageTitle>{t('launchTrial.title')}</PageTitle>
      <p role="status">{t('launchTrial.arriving')}</p>
    </>
  );
}

function returned(query: URLSearchParams): TrialReturn {
  const [code, error, description] = ['code', 'error', 'error_description'].map((name) => query.get(name));
  return {
    ...(code && { code }),
    ...(error && { error }),
    ...(description && { errorDescription: description }),
  };
}
