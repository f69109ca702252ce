import { AppstoreOutlined, SearchOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ClientGrant, GrantList } from '../../../../src/contract/own-record/grants.js';
import { isGone, notifyFailure } from '../../api/failures/form-errors.js';
import { appOf, useGrantsQuery, usePauseAppMutation } from '../../api/own-record/grants.js';
import { useSessionQuery } from '../../api/session.js';
import { useOpened } from '../../shared/addresses/use-opened.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { notify } from '../../shared/notices.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { NotFoundDialog } from '../../shared/ui/overlays/not-found-dialog.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { AgreedDisclaimers } from './agreed-disclaimers.js';
import { AppCard, appName } from './app-card.js';
import { AppInfoDialog } from './app-info-dialog.js';
import { useAppTools } from './app-tools.js';
import styles from './grants-page.module.css';
import type { PermissionsSheetProps } from './permissions-sheet.js';
import { TakeBackDialog } from './take-back-dialog.js';
import { useRevocation } from './use-revocation.js';
import './words/en.js';
import '../../shared/addresses/words/en.js';

/** Loaded once the list stands. */
const PermissionsSheet = lazyOverlay<PermissionsSheetProps>(
  async () => (await import('./permissions-sheet.js')).PermissionsSheet,
);

/** The apps a person has let into the record, and the way to turn them out again. */
export function GrantsPage() {
  const { t } = useTranslation();
  const { data, isError, isFetching, refetch } = useGrantsQuery(undefined, { refetchOnMountOrArgChange: true });
  const slow = useSlow(isFetching && !data);
  const [viewed, setViewed] = useState<{ grant: ClientGrant; open: boolean } | null>(null);
  const [info, setInfo] = useState<ClientGrant | null>(null);
  const [asked, setAsked] = useState<{ grant: ClientGrant; open: boolean } | null>(null);
  const { revokeDisclaimers, withdrawing, appIsGone, gone } = useRevocation(data, () => setViewed(null));
  const { data: user } = useSessionQuery();
  const hasNoRecord = user?.userType === 'RelatedPerson';
  const lead = hasNoRecord
    ? 'grants.leadForOthers'
    : data?.clientsPermissions.some(({ patient }) => patient)
      ? 'grants.leadForBoth'
      : 'grants.lead';
  const pause = usePause(appIsGone);
  useNamedApp(data, (grant) => setViewed({ grant, open: true }));

  return (
    <>
      <PageTitle>{t('grants.title')}</PageTitle>
      <p className={styles.lead}>{t(lead)}</p>
      {data ? (
        <>
          <Apps
            grants={data.clientsPermissions}
            withLog={user?.userType === 'Patient'}
            hasNoRecord={hasNoRecord}
            onView={(grant) => setViewed({ grant, open: true })}
            onInfo={setInfo}
            onPause={pause}
            onTakeBack={(grant) => setAsked({ grant, open: true })}
          />
          {data.generalDisclaimers.length > 0 && (
            <section className={styles.general}>
              <h2>{t('grants.general')}</h2>
              <p>{t('grants.generalLead')}</p>
              <AgreedDisclaimers
                disclaimers={data.generalDisclaimers}
                question={t('grants.revokeGeneralTitle')}
                busy={withdrawing}
                onRevoke={() => revokeDisclaimers(data.generalDisclaimers)}
              />
            </section>
          )}
        </>
      ) : (
        isError && !isFetching && <LoadFailed onRetry={refetch} />
      )}
      {slow && <AppsSkeleton />}
      {viewed && (
        <PermissionsSheet
          key={cardKey(viewed.grant)}
          grant={currentOf(data, viewed.grant)}
          open={viewed.open}
          busy={withdrawing}
          onClose={() => setViewed({ ...viewed, open: false })}
          onGone={() => appIsGone(viewed.grant)}
          onRevokeDisclaimers={() => revokeDisclaimers(viewed.grant.disclaimers)}
        />
      )}
      {asked && (
        <TakeBackDialog
          key={`asked ${cardKey(asked.grant)}`}
          grant={asked.grant}
          open={asked.open}
          onClose={() => setAsked({ ...asked, open: false })}
          onGone={() => appIsGone(asked.grant)}
        />
      )}
      {info && <AppInfoDialog grant={info} onClose={() => setInfo(null)} />}
      {gone && <NotFoundDialog {...gone} />}
    </>
  );
}

/** The address may name an app: its card gets the focus, and it is shown once. */
function useNamedApp(listed: GrantList | undefined, show: (grant: ClientGrant) => void) {
  const { opened, close } = useOpened('app');
  const clientId = opened('app');
  const isListed = listed !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each name in the address
  useEffect(() => {
    if (!isListed || clientId === null) return;
    close();
    const named = listed.clientsPermissions.find((one) => one.clientId === clientId && !one.patient);
    if (!named) return;
    document.querySelector<HTMLElement>(`[data-app="${CSS.escape(clientId)}"]`)?.focus();
    show(named);
  }, [isListed, clientId]);
}

/** The app as it is listed now: permissions may have been taken back from it. */
function currentOf(listed: GrantList | undefined, grant: ClientGrant): ClientGrant {
  return listed?.clientsPermissions.find((one) => cardKey(one) === cardKey(grant)) ?? grant;
}

/** Each patient of an app has a card. */
const cardKey = (grant: ClientGrant) => JSON.stringify(appOf(grant));

/** Pauses an app, or resumes it, at once: the other one takes it back. */
function usePause(onGone: (grant: ClientGrant) => void) {
  const { t } = useTranslation();
  const [send] = usePauseAppMutation();
  return async (grant: ClientGrant) => {
    const on = grant.pausedAt === null;
    const { error } = await send({ ...appOf(grant), on });
    if (isGone(error)) onGone(grant);
    else if (error) notifyFailure(error);
    else notify('success', t(on ? 'grants.paused' : 'grants.resumed', { client: isolateName(appName(grant)) }));
  };
}

interface AppsProps {
  grants: ClientGrant[];
  /** True if the reader is a patient, who has a log of accesses. */
  withLog: boolean;
  /** True if the reader only acts for patients. */
  hasNoRecord: boolean;
  onView: (grant: ClientGrant) => void;
  onInfo: (grant: ClientGrant) => void;
  onPause: (grant: ClientGrant) => void;
  onTakeBack: (grant: ClientGrant) => void;
}

function Apps({ grants, withLog, hasNoRecord, onView, onInfo, onPause, onTakeBack }: AppsProps) {
  const { t } = useTranslation();
  const { shown, tools, clear } = useAppTools(grants);
  if (grants.length === 0) {
    return (
      <ListEmpty
        icon={<AppstoreOutlined aria-hidden />}
        title={t('grants.emptyTitle')}
        text={t(hasNoRecord ? 'grants.emptyTextForOthers' : 'grants.emptyText')}
        action={hasNoRecord && <Link to="/user/family">{t('grants.family')}</Link>}
      />
    );
  }
  return (
    <>
      {tools}
      {shown.length === 0 && (
        <ListEmpty
          icon={<SearchOutlined aria-hidden />}
          title={t('grants.noMatchTitle')}
          text={t('grants.noMatchText')}
          action={<Button onClick={clear}>{t('grants.clearSearch')}</Button>}
        />
      )}
      <ul className={styles.apps}>
        {shown.map((grant) => (
          <AppCard
            key={cardKey(grant)}
            grant={grant}
            withLog={withLog}
            onView={() => onView(grant)}
            onInfo={() => onInfo(grant)}
            onPause={() => onPause(grant)}
            onTakeBack={() => onTakeBack(grant)}
          />
        ))}
      </ul>
    </>
  );
}

function AppsSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status">
      <span className="visually-hidden">{t('common.loading')}</span>
      <div className={styles.apps} aria-hidden="true">
        {[1, 2].map((card) => (
          <div key={card} className={`${cardStyles.card} ${styles.skeleton}`}>
            <Skeleton width={48} height={48} />
            <Skeleton width="50%" />
            <Skeleton width="70%" />
            <Skeleton width="40%" height={12} />
          </div>
        ))}
      </div>
    </div>
  );
}
