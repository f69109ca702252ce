import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import type { SessionView } from '../../../../src/contract/users/account.js';
import { isGone, notifyFailure } from '../../api/failures/form-errors.js';
import { useEndOtherSessionsMutation, useOwnSessionsQuery } from '../../api/users/account.js';
import { browserName } from '../../shared/browser/browser-name.js';
import { longDate } from '../../shared/i18n/dates.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './account-settings.module.css';
import { Row } from './row.js';

/** The user's sessions, and the button that ends all others. */
export function Sessions({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  const { data, isError, isFetching, refetch } = useOwnSessionsQuery(undefined, { refetchOnMountOrArgChange: true });
  const [endOthers, { isLoading }] = useEndOtherSessionsMutation();
  const slow = useSlow(isFetching && !data);
  const sessions = data?.sessions ?? [];
  // The one that asks comes first, the others as they were used last.
  const ordered = [...sessions.filter(({ current }) => current), ...sessions.filter(({ current }) => !current)];

  const end = async () => {
    const { error } = await endOthers();
    if (!error) return notify('success', t('accountSettings.othersEnded'));
    if (isGone(error)) return onGone();
    notifyFailure(error);
  };

  const help = [
    t(user.hasNoPassword ? 'accountSettings.sessionsHelpPasskeys' : 'accountSettings.sessionsHelp'),
    ...(user.userType === 'Admin' ? [t('accountSettings.sessionsHelpAdmin')] : []),
  ].join(' ');
  return (
    <Section title={t('accountSettings.sessions')} help={help}>
      <div className={card.card}>
        {!data && isError && !isFetching && <LoadFailed onRetry={refetch} />}
        {slow && (
          <div className={styles.row} aria-hidden="true">
            <div className={styles.skeleton}>
              <Skeleton width="40%" />
              <Skeleton width="70%" />
            </div>
          </div>
        )}
        <ul className={styles.browsers}>
          {ordered.map((session) => (
            <Browser key={`${session.signedIn} ${session.lastUsed} ${session.current}`} session={session} />
          ))}
        </ul>
        {sessions.length > 1 && (
          <div className={styles.row}>
            <Button className={styles.endOthers} loading={isLoading} onClick={end}>
              {t('accountSettings.endOthers')}
            </Button>
          </div>
        )}
      </div>
    </Section>
  );
}

function Browser({ session: { browser, signedIn, lastUsed, current } }: { session: SessionView }) {
  const { t } = useTranslation();
  const inWords = (iso: string) => {
    const { date, time } = longDate(iso);
    return `${date}, ${time}`;
  };
  const times = [
    t('accountSettings.signedIn', { at: inWords(signedIn) }),
    ...(current ? [] : [t('accountSettings.lastUsed', { at: inWords(lastUsed) })]),
  ];
  return (
    <li>
      <Row
        titled
        label={browserName(browser)}
        badge={current && <Badge tone="accent">{t('accountSettings.thisBrowser')}</Badge>}
        value={times.map((line) => (
          <span key={line} className={styles.line}>
            {line}
          </span>
        ))}
      />
    </li>
  );
}
