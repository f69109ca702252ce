import { Button } from 'antd';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserSession } from '../../../../src/contract/users/helpdesk.js';
import { isGone, notifyFailure } from '../../api/failures/form-errors.js';
import { useSignOutUserMutation } from '../../api/users/helpdesk.js';
import { browserName } from '../../shared/browser/browser-name.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { plainList } from '../../shared/i18n/language.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/layout/card.module.css';
import { FactSection } from '../../shared/ui/text/facts.js';
import styles from './user-help.module.css';

interface SessionActions {
  id: string;
  /** Called when a browser was signed out. */
  onChange: () => void;
  onGone: () => void;
}

/** The browsers in which the user is signed in, each with the button that signs it out. */
export function UserSessions({
  id,
  sessions,
  onChange,
  onGone,
}: SessionActions & { sessions: readonly UserSession[] }) {
  const { t } = useTranslation();
  const place = useRef<HTMLDivElement>(null);
  const acts = {
    id,
    onGone,
    onChange: () => {
      // The button that had the focus goes with its browser.
      place.current?.focus();
      onChange();
    },
  };
  return (
    <FactSection title={t('helpdesk.sessions')}>
      <div ref={place} tabIndex={-1} className={styles.state}>
        {sessions.length === 0 ? (
          <p className={styles.none}>{t('helpdesk.noSessions')}</p>
        ) : (
          <div className={card.card}>
            <ul className={styles.sessions}>
              {sessions.map((session) => (
                <li key={session.id}>
                  <Session session={session} {...acts} />
                </li>
              ))}
            </ul>
            {sessions.length > 1 && (
              <div className={styles.everywhere}>
                <SignOut {...acts} label={t('helpdesk.signOutEverywhere')} />
              </div>
            )}
          </div>
        )}
      </div>
    </FactSection>
  );
}

function Session({
  session: { id: session, browser, signedIn, lastUsed, apps },
  ...acts
}: SessionActions & { session: UserSession }) {
  const { t } = useTranslation();
  const name = browserName(browser);
  return (
    <div className={styles.session}>
      <div className={styles.browser}>{name}</div>
      <SignOut
        {...acts}
        session={session}
        label={t('helpdesk.signOut')}
        name={t('helpdesk.signOutOf', { browser: name, at: longMoment(signedIn) })}
      />
      <div className={styles.times}>
        <div className={styles.note}>{t('helpdesk.signedIn', { at: longMoment(signedIn) })}</div>
        <div className={styles.note}>{t('helpdesk.lastUsed', { at: longMoment(lastUsed) })}</div>
        {apps.length > 0 && (
          <div className={styles.note}>
            {t('helpdesk.sessionApps', { apps: plainList(apps.map((app) => isolateName(app))) })}
          </div>
        )}
      </div>
    </div>
  );
}

function SignOut({
  id,
  session,
  label,
  name,
  onChange,
  onGone,
}: SessionActions & { session?: string; label: string; name?: string }) {
  const { t } = useTranslation();
  const [signOut, { isLoading }] = useSignOutUserMutation();
  const run = async () => {
    const { error } = await signOut({ id, ...(session !== undefined && { session }) });
    if (isGone(error)) return onGone();
    if (error) return notifyFailure(error);
    notify('success', t(session === undefined ? 'helpdesk.signedOutEverywhere' : 'helpdesk.signedOut'));
    onChange();
  };
  return (
    <Button type="text" size="small" danger loading={isLoading} aria-label={name ?? label} onClick={run}>
      {label}
    </Button>
  );
}
