import { Button } from 'antd';
import { lazy, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { AuthorizationPlace } from '../../../../src/contract/authorization.js';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { useAnswerConsentMutation } from '../../api/consent.js';
import { formErrors, notifyFailure } from '../../api/failures/form-errors.js';
import { useSessionQuery } from '../../api/session.js';
import { endedPage } from '../../shared/addresses/return-url.js';
import { leaveAnswered, markOpen } from '../../shared/browser/flow-history.js';
import { leave } from '../../shared/browser/leave.js';
import { wantedChunk } from '../../shared/loading/chunk.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import { PatientBanner } from '../../shared/ui/flow/patient-banner.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { LoadingOverlay } from '../../shared/ui/placeholders/loading-overlay.js';
import { NotFoundPage } from '../../shared/ui/placeholders/not-found-state.js';
import { AppHead, Emphasised, MakerLinks } from './about-app.js';
import actingStyles from './acting.module.css';
import { allowedBefore, newsOf, useAsked } from './choosing.js';
import styles from './consent-page.module.css';
import { DeclineDialog } from './decline-dialog.js';
import { RememberChoice } from './remember-choice.js';
import { AboutYou } from './rows/about-you.js';
import { AccessSection, LastingSection } from './rows/access-section.js';
import { useSelection } from './selection/use-selection.js';
import { useSummarySeen } from './use-summary-seen.js';
import { firstName } from './words/first-name.js';

const KeptPrivate = lazy(async () => ({
  default: (await wantedChunk(() => import('./kept-private.js'))).KeptPrivate,
}));

/** The whole question and its two answers; either way the browser goes back to the authorization, which continues. */
export function ConsentForm({
  request,
  place,
  returnUrl,
  hasChanged,
  onChanged,
}: {
  request: ConsentRequest;
  place: AuthorizationPlace | undefined;
  returnUrl: string;
  /** True if the page before this one was answered when the user might not grant it any more. */
  hasChanged: boolean;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const { data: user } = useSessionQuery();
  const { acting, patient } = request;
  const name = firstName(patient?.name ?? '');
  const navigate = useNavigate();
  const asked = useAsked(request);
  const { selection, remember, scopes, select, setRemember, forget } = useSelection(asked, request, returnUrl);
  const [technical, setTechnical] = useState(false);
  const summary = useRef<HTMLParagraphElement>(null);
  const [declining, setDeclining] = useState(false);
  const [answer, { isLoading, isSuccess, error }] = useAnswerConsentMutation();
  const earlier = { allowed: allowedBefore(asked, request), news: newsOf(asked, request) };
  const forMany = request.ownRecord ? undefined : t('consent.forEveryPatient');
  const page = { ...asked, selection, technical, onSelect: select };

  useEffect(markOpen, []);

  const send = async (scopesConsented: string[]) => {
    const result = await answer({
      returnUrl,
      rememberConsent: remember,
      scopesConsented,
      contextVersion: request.contextVersion,
    });
    if (!result.error) {
      forget();
      return leaveAnswered(returnUrl);
    }
    const status = 'status' in result.error ? result.error.status : undefined;
    if (status === 400) return navigate(endedPage(returnUrl), { replace: true });
    setDeclining(false);
    if (status === 409 && acting) return onChanged();
    if (status !== 404 && status !== 409) notifyFailure(result.error);
  };

  if (error && 'status' in error && error.status === 404) return <NotFoundPage />;
  // The patient was changed in another tab: the server knows the page to continue with.
  if (error && 'status' in error && error.status === 409 && !acting) {
    return <LoadFailed heading="h1" text={formErrors(error).form[0]} onRetry={() => leave(returnUrl)} />;
  }

  return (
    <>
      {isSuccess && <LoadingOverlay />}
      {patient && <PatientBanner patient={patient} user={user?.fullName} returnUrl={returnUrl} />}
      <FlowColumn>
        {hasChanged && (
          <div role="alert" className={actingStyles.changed}>
            <Banner tone="warning">{t('consent.acting.changed')}</Banner>
          </div>
        )}
        <FlowProgress place={place} />
        {request.isTrial && (
          <p className={styles.trial}>
            <Emphasised text={t('consent.trial')} />
          </p>
        )}
        <AppHead request={request} words={asked.words} earlier={earlier} summary={summary} />
        <AccessSection page={page} />
        {acting && patient && <KeptPrivate scopes={acting.keptPrivate} patient={patient} client={request.clientName} />}
        <LastingSection page={page} request={request} />
        <AboutYou page={page} request={request} />
        <button type="button" className={styles.details} onClick={() => setTechnical(!technical)}>
          {t(technical ? 'consent.hideDetails' : 'consent.showDetails')}
        </button>
        {!request.isTrial && (
          <RememberChoice
            remember={remember}
            until={request.lasting.until}
            about={acting ? t('consent.acting.rememberOnly', { name }) : forMany}
            onChange={setRemember}
          />
        )}
        {acting && (
          <div className={actingStyles.later}>
            <Banner>{t('consent.acting.later', { name })}</Banner>
          </div>
        )}
        <MakerLinks request={request} />
      </FlowColumn>

      <Answers
        summary={summary}
        isNothing={scopes.length === 0}
        busy={isLoading}
        accepting={isLoading && !declining}
        accept={acting ? t('consent.acting.accept', { name }) : t('consent.accept')}
        onAccept={() => send(scopes)}
        onDecline={() => setDeclining(true)}
      />

      <DeclineDialog
        open={declining}
        request={request}
        busy={isLoading}
        onConfirm={() => send([])}
        onCancel={() => setDeclining(false)}
      />
    </>
  );
}

/** The two answers: the app's access is given only where its summary was seen, and by a person. */
function Answers({
  summary,
  isNothing,
  busy,
  accepting,
  accept,
  onAccept,
  onDecline,
}: {
  summary: RefObject<HTMLElement | null>;
  /** No scope is chosen. */
  isNothing: boolean;
  busy: boolean;
  accepting: boolean;
  /** The words for accepting. */
  accept: string;
  onAccept: () => void;
  onDecline: () => void;
}) {
  const { t } = useTranslation();
  const seen = useSummarySeen(summary);
  return (
    <ActionBar label={t('consent.actions')}>
      <p className={styles.nothing} role="status" id="consent-nothing">
        {isNothing ? t('consent.nothingSelected') : ''}
      </p>
      {seen.state === 'away' && (
        <Button type="link" onClick={seen.show}>
          {t('consent.showSummary')}
        </Button>
      )}
      <Button disabled={busy} onClick={onDecline}>
        {t('consent.decline')}
      </Button>
      <Button
        type="primary"
        disabled={isNothing || seen.state !== 'seen'}
        aria-describedby={isNothing ? 'consent-nothing' : undefined}
        loading={accepting}
        // Only a person may say yes, not a script (security O-12).
        onClick={({ nativeEvent }) => nativeEvent.isTrusted && onAccept()}
      >
        {accept}
      </Button>
    </ActionBar>
  );
}
