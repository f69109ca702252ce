import { MailOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { UserView } from '../../../../src/contract/users.js';
import { formErrors, isGone, isToldElsewhere, notifyFailure } from '../../api/failures/form-errors.js';
import { useInviteAgainMutation, useUserActivityQuery } from '../../api/users.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { notify } from '../../shared/notices.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Exception, Status } from '../../shared/ui/marks/status.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { Fact, FactSection, Facts } from '../../shared/ui/text/facts.js';
import { UserApp } from './user-app.js';
import styles from './users-page.module.css';

/** An account without a kind is an exception that stands out among the others. */
export function UserTypeText({ userType }: Pick<UserView, 'userType'>) {
  const { t } = useTranslation();
  if (userType !== 'Incomplete') return t(`roles.${userType}`);
  return <Exception>{t('roles.Incomplete')}</Exception>;
}

export function Confirmation({ emailConfirmed }: Pick<UserView, 'emailConfirmed'>) {
  const { t } = useTranslation();
  return <Status on={emailConfirmed}>{t(emailConfirmed ? 'users.confirmed' : 'users.notConfirmed')}</Status>;
}

/** The facts of a user, read-only. */
export function UserFacts({
  user,
  onGone,
  onStale,
}: {
  user: UserView;
  onGone: () => void;
  /** Called when the shown data are out of date. */
  onStale: () => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      {!user.emailConfirmed && !user.isExternal && <Invitation id={user.id} onGone={onGone} onStale={onStale} />}
      <FactSection title={t('users.account')}>
        <Facts>
          <Fact label={t('users.userType')}>
            <UserTypeText userType={user.userType} />
          </Fact>
          <Fact label={t('users.signIn')}>{t(user.isExternal ? 'users.external' : 'users.local')}</Fact>
          <Fact label={t('users.email')}>
            <Confirmation emailConfirmed={user.emailConfirmed} />
          </Fact>
        </Facts>
      </FactSection>
      <Activity user={user} />
      <p className={styles.audit}>
        <Link className="target" to={`/admin/audit?accountId=${user.id}`}>
          {t('activity.auditEvents')}
        </Link>
      </p>
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
    </FactSection>
  );
}

function Invitation({ id, onGone, onStale }: { id: string; onGone: () => void; onStale: () => void }) {
  const { t } = useTranslation();
  const [invite, { isLoading }] = useInviteAgainMutation();
  const resend = async () => {
    const { error } = await invite(id);
    if (!error) return notify('success', t('users.resent'));
    if (isGone(error)) return onGone();
    if (isToldElsewhere(error)) return;
    // Accepted meanwhile, or asked for too often.
    notifyFailure(error, formErrors(error).form[0]);
    onStale();
  };
  return (
    <Banner
      tone="warning"
      icon={<MailOutlined aria-hidden />}
      act={
        <Button type="link" size="small" loading={isLoading} onClick={resend}>
          {t('users.resend')}
        </Button>
      }
    >
      <strong>{t('users.notAccepted')}</strong>
    </Banner>
  );
}
