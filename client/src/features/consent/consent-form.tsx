import { InfoCircleOutlined, SwapOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { AuthorizationPlace } from '../../../../src/contract/authorization.js';
import type { ConsentRequest } from '../../../../src/contract/consent.js';
import { useAnswerConsentMutation } from '../../api/consent.js';
import { useSettings } from '../../api/settings.js';
import { portalPath } from '../../shared/base-path.js';
import { longMoment } from '../../shared/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { leave } from '../../shared/leave.js';
import { notify } from '../../shared/notices.js';
import { endedPage } from '../../shared/return-url.js';
import { ActionBar } from '../../shared/ui/action-bar.js';
import { Logo } from '../../shared/ui/brand-mark.js';
import cardStyles from '../../shared/ui/card.module.css';
import { FlowColumn } from '../../shared/ui/flow-column.js';
import { FlowProgress } from '../../shared/ui/flow-progress.js';
import { LoadingOverlay } from '../../shared/ui/loading-overlay.js';
import { Monogram } from '../../shared/ui/monogram.js';
import { NewTabLink } from '../../shared/ui/new-tab-link.js';
import { NotFoundPage } from '../../shared/ui/not-found-state.js';
import { PageTitle } from '../../shared/ui/page-title.js';
import radioStyles from '../../shared/ui/radio.module.css';
import { ApiScopes } from './api-scopes.js';
import styles from './consent-page.module.css';
import { DeclineDialog } from './decline-dialog.js';
import { ScopeRow } from './scope-row.js';
import { choiceOf, firstSelection, ticked } from './selection.js';

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
  const settings = useSettings();
  const choice = useMemo(() => choiceOf(request), [request]);
  const [selection, setSelection] = useState(() => firstSelection(choice, request));
  const [technical, setTechnical] = useState(false);
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
    if (status !== 404) notify('error', t('errors.generic'));
  };

  if (error && 'status' in error && error.status === 404) return <NotFoundPage />;

  return (
    <>
      {isSuccess && <LoadingOverlay />}
      <FlowColumn>
        <FlowProgress place={place} />
        <div className={styles.parties} aria-hidden="true">
          <Monogram name={request.clientName} size={52} />
          <SwapOutlined className={styles.swap} />
          <Logo settings={settings} size={52} />
        </div>
        <PageTitle className={styles.title}>
          {t('consent.title', { client: isolateName(request.clientName) })}
        </PageTitle>
        <p className={styles.lead}>{t('consent.lead')}</p>
        <AboutApp request={request} />

        {request.identityScopes.length > 0 && (
          <section className={styles.section} aria-labelledby="consent-identity">
            <h2 id="consent-identity">{t('consent.identity')}</h2>
            <div className={cardStyles.card}>
              {request.identityScopes.map((scope) => (
                <div key={scope.value} className={styles.group}>
                  <ScopeRow
                    scope={scope}
                    tick={selection.has(scope.value) ? 'all' : 'none'}
                    locked={scope.required}
                    technical={technical}
                    onTick={(on) => setSelection(ticked(choice, selection, [{ ...scope, fineGrainedScopes: [] }], on))}
                  />
                </div>
              ))}
            </div>
          </section>
        )}

        {request.apiScopes.length > 0 && (
          <section className={styles.section} aria-labelledby="consent-api">
            <h2 id="consent-api">{t('consent.api')}</h2>
            <ApiScopes
              request={request}
              choice={choice}
              selection={selection}
              technical={technical}
              onSelect={setSelection}
            />
          </section>
        )}

        <button type="button" className={styles.details} onClick={() => setTechnical(!technical)}>
          {t(technical ? 'consent.hideDetails' : 'consent.showDetails')}
        </button>

        <section className={styles.section} aria-labelledby="consent-remember">
          <h2 id="consent-remember">{t('consent.remember')}</h2>
          <div role="radiogroup" aria-labelledby="consent-remember" className={`${cardStyles.card} ${styles.remember}`}>
            {[true, false].map((choice) => (
              <label key={String(choice)} className={styles.choice}>
                <input
                  type="radio"
                  name="remember"
                  className={radioStyles.radio}
                  checked={remember === choice}
                  onChange={() => setRemember(choice)}
                />
                {t(choice ? 'consent.rememberYes' : 'consent.rememberNo')}
              </label>
            ))}
          </div>
          {request.lasting.until && (
            <p className={styles.note}>{t('consent.lastsUntil', { date: longMoment(request.lasting.until) })}</p>
          )}
          <p className={styles.note}>
            <ChangeLater />
          </p>
        </section>

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

/** With a link into a new tab: leaving this page would leave the app waiting. */
function ChangeLater() {
  const { t } = useTranslation();
  // `Trans` would do it, for more code than the rest of this page.
  const [before, link, after] = t('consent.changeLater').split(/<\/?apps>/);
  return (
    <>
      {before}
      <a href={portalPath('/user/grants')} target="_blank" rel="noopener">
        {link}
        <span className="visually-hidden"> {t('common.opensInNewTab')}</span>
      </a>
      {after}
    </>
  );
}

/** The app's host and policies, so that the user can recognise it. */
function AboutApp({ request }: { request: ConsentRequest }) {
  const { t } = useTranslation();
  const {
    redirectHost,
    firstTime,
    leftOutBefore,
    legalCompanyName,
    contactUsUrl,
    privacyPolicyUrl,
    termsOfServiceUrl,
  } = request;
  return (
    <ul className={styles.about}>
      {firstTime && (
        <li className={styles.firstTime}>
          <InfoCircleOutlined aria-hidden /> {t('consent.firstTime')}
        </li>
      )}
      {leftOutBefore.length > 0 && (
        <li className={styles.firstTime}>
          <InfoCircleOutlined aria-hidden /> {t('consent.filledIn')}
        </li>
      )}
      {legalCompanyName && <li>{legalCompanyName}</li>}
      <li>{t('consent.returnsTo', { host: redirectHost })}</li>
      {(contactUsUrl || privacyPolicyUrl || termsOfServiceUrl) && (
        <li className={styles.legal}>
          {contactUsUrl && <NewTabLink href={contactUsUrl}>{t('consent.contact')}</NewTabLink>}
          {privacyPolicyUrl && <NewTabLink href={privacyPolicyUrl}>{t('consent.privacyPolicy')}</NewTabLink>}
          {termsOfServiceUrl && <NewTabLink href={termsOfServiceUrl}>{t('consent.termsOfService')}</NewTabLink>}
        </li>
      )}
    </ul>
  );
}
