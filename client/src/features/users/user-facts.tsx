import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { UserView } from '../../../../src/contract/users/users.js';
import { useUserSignInQuery } from '../../api/users/helpdesk.js';
import { useUserActivityQuery } from '../../api/users/users.js';
import { longMoment } from '../../shared/i18n/dates.js';
import './words/en.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Exception, Status } from '../../shared/ui/marks/status.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { Fact, FactSection, Facts } from '../../shared/ui/text/facts.js';
import { UserRelationships } from './representation/user-relationships.js';
import { SecondFactor } from './second-factor.js';
import { type HelpActions, SignInState } from './sign-in-state.js';
import { UserApp } from './user-app.js';
import { UserSessions } from './user-sessions.js';
import styles from './users-page.module.css';
import '../../shared/launches/words/en.js';
import '../../shared/ui/forms/words/en.js';

/** An account without a kind is an exception that stands out among the others. */
export function UserTypeText({ userType }: Pick<UserView, 'userType'>) {
  const { t } = useTranslation();
  if (userType !== 'Incomplete') return t(`roles.${userType}`);
  return <Exception>{t('roles.Incomplete')}</Exception>;
}

/** An account that was activated by a link which was handed over is active, and its address is not proven. */
export function Confirmation({ emailConfirmed, emailUnproven }: Pick<UserView, 'emailConfirmed' | 'emailUnproven'>) {
  const { t } = useTranslation();
  if (emailUnproven) return <Status on={false}>{t('users.handedOver')}</Status>;
  return <Status on={emailConfirmed}>{t(emailConfirmed ? 'users.confirmed' : 'users.notConfirmed')}</Status>;
}

/** The facts of a user, read-only. */
export function UserFacts({ user, ...acts }: HelpActions & { user: UserView }) {
  const { t } = useTranslation();
  const { data: signIn, isError, refetch } = useUserSignInQuery(user.id, { refetchOnMountOrArgChange: true });
  const onChange = () => {
    refetch();
    acts.onStale();
  };
  const loading = isError ? t('common.notAvailable') : <Skeleton width={120} />;
  return (
    <>
      {signIn ? (
        <SignInState user={user} signIn={signIn} {...acts} onStale={onChange} />
      ) : (
        <FactSection title={t('helpdesk.title')}>{loading}</FactSection>
      )}
      <FactSection title={t('users.account')}>
        <Facts>
          <Fact label={t('users.userType')}>
            <UserTypeText userType={user.userType} />
          </Fact>
          <Fact label={t('users.signIn')}>{t(user.isExternal ? 'users.external' : 'users.local')}</Fact>
          <Fact label={t('users.email')}>
            <Confirmation {...user} />
            {user.emailUnproven && <p className={styles.none}>{t('users.handedOverWhy')}</p>}
          </Fact>
          {signIn ? (
            <SecondFactor
              user={user}
              factor={signIn.secondFactor}
              passkeys={signIn.passkeys}
              hasNoPassword={signIn.passkeys > 0 && !signIn.hasPassword}
              onChange={onChange}
              onGone={acts.onGone}
            />
          ) : (
            <Fact label={t('helpdesk.secondFactor')}>{loading}</Fact>
          )}
        </Facts>
      </FactSection>
      <UserRelationships user={user} />
      <Activity user={user} />
      {signIn && <UserSessions id={user.id} sessions={signIn.sessions} onChange={refetch} onGone={acts.onGone} />}
      <FactSection title={t('claims.title')}>
        {user.claims.length === 0 ? (
          <p className={styles.none}>{t('users.noClaims')}</p>
        ) : (
          <div className={cardStyles.card}>
            <table className={styles.claims}>
              <thead>
                <tr>
                  <th scope="col">{t('claims.name')}</th>
                  <th scope="col">{t('claims.value')}</th>
                </tr>
              </thead>
              <tbody>
                {user.claims.map(({ name, value }) => (
                  <tr key={JSON.stringify([name, value])}>
                    <td>{name}</td>
                    <td>{value}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </FactSection>
    </>
  );
}

/** The last sign-in, and the apps that the user lets in. */
function Activity({ user }: { user: UserView }) {
  const { t } = useTranslation();
  const { data, isError, refetch } = useUserActivityQuery(user.id);
  const loading = isError ? t('common.notAvailable') : <Skeleton width={120} />;
  return (
    <FactSection title={t('users.activity')}>
      <Facts>
        <Fact label={t('users.lastSignIn')}>
          {data ? (data.lastSignIn ? longMoment(data.lastSignIn) : t('users.noSignIn')) : loading}
        </Fact>
        <Fact label={t('users.apps')}>
          {!data && loading}
          {data?.apps.length === 0 && <span className={styles.none}>{t('users.noApps')}</span>}
          {data?.apps.map((app) => (
            <UserApp key={app.clientId} user={user} app={app} onChange={refetch} />
          ))}
        </Fact>
      </Facts>
      <p className={styles.audit}>
        <Link className="target" to={`/admin/audit?accountId=${user.id}`}>
          {t('activity.auditEvents')}
        </Link>
      </p>
    </FactSection>
  );
}
