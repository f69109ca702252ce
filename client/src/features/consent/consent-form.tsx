import { Button } from 'antd';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { AuthorizationPlace } from '../../../../src/contract/authorization.js';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { useAnswerConsentMutation } from '../../api/consent.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { endedPage } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import { LoadingOverlay } from '../../shared/ui/placeholders/loading-overlay.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { AppHead } from './about-app.js';
import styles from './consent-page.module.css';
import { DeclineDialog } from './decline-dialog.js';
import { RememberChoice } from './remember-choice.js';
import { ScopeSections } from './scope-sections.js';
import { choiceOf, firstSelection } from './selection.js';

/** The whole question and its two answers; either way the browser goes back to the authorization, which goes on. */
export function ConsentForm({
  request,
  place,
  returnUrl,
}: {
  request: ConsentRequest;
  place: AuthorizationPlace | undefined;
  returnUrl: string;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const choice = useMemo(() => choiceOf(request), [request]);
  const [selection, setSelection] = useState(() => firstSelection(choice, request));
  const [remember, setRemember] = useState(true);
  const seen = useSeen();
  const [declining, setDeclining] = useState(false);
  const [answer, { isLoading, isSuccess, error }] = useAnswerConsentMutation();

  const scopes = choice.granted(selection);

  const send = async (scopesConsented: string[]) => {
    const result = await answer({ returnUrl, rememberConsent: remember, scopesConsented });
    if (!result.error) return leave(returnUrl);
    const status = 'status' in result.error ? result.error.status : undefined;
    if (status === 400) return navigate(endedPage(returnUrl), { replace: true });
    setDeclining(false);
    if (status !== 404) notifyFailure(result.error);
  };

  if (error && 'status' in error && error.status === 404) return <NotFoundPage />;

  return (
    <>
      {isSuccess && <LoadingOverlay />}
      <FlowColumn>
        <FlowProgress place={place} />
        <AppHead request={request} />

        <ScopeSections request={request} choice={choice} selection={selection} onSelect={setSelection} />
        <RememberChoice remember={remember} until={request.lasting.until} onChange={setRemember} />
        <p className={styles.nothing} role="status">
          {scopes.length === 0 ? t('consent.nothingSelected') : ''}
        </p>
      </FlowColumn>

      <ActionBar label={t('consent.actions')}>
        <Button disabled={isLoading} onClick={() => setDeclining(true)}>
          {t('consent.decline')}
        </Button>
        <Button
          type="primary"
          disabled={scopes.length === 0 || !seen}
          loading={isLoading && !declining}
          // Only a person may say yes, not a script (security O-12).
          onClick={({ nativeEvent }) => nativeEvent.isTrusted && send(scopes)}
        >
          {t('consent.accept')}
        </Button>
      </ActionBar>

      <DeclineDialog
        open={declining}
        client={request.clientName}
        busy={isLoading}
        onConfirm={() => send([])}
        onCancel={() => setDeclining(false)}
      />
    </>
  );
}

/**
 * Ignores a click right after the form appeared: one that was meant for something else must not consent (security
 * O-12).
 */
const shortestLookMs = 500;

function useSeen(): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), shortestLookMs);
    return () => clearTimeout(timer);
  }, []);
  return seen;
}
