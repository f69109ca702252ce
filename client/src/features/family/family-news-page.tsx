import './birthday/words/en.js';
import { LockOutlined, RightOutlined, TeamOutlined, UserAddOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom';
import type { ActingNews, EndedNews, FamilyNews } from '../../../../src/contract/representation/news.js';
import type { Path } from '../../../../src/contract/rules/pages.js';
import { useFlowProgress } from '../../api/authorization.js';
import { notifyFailure } from '../../api/failures/form-errors.js';
import { useFamilyNewsQuery, useSeeNewsMutation } from '../../api/own-record/family.js';
import { useLazySessionQuery } from '../../api/session.js';
import { endedPage, type KnownReturnUrl, knownReturnUrl, returnUrlOf } from '../../shared/addresses/return-url.js';
import { leave } from '../../shared/browser/leave.js';
import { t } from '../../shared/i18n/i18n.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { listOf } from '../../shared/i18n/language.js';
import { namesOfKinds } from '../../shared/levels/level-texts.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { ActionBar } from '../../shared/ui/flow/action-bar.js';
import { FlowColumn } from '../../shared/ui/flow/flow-column.js';
import { FlowProgress } from '../../shared/ui/flow/flow-progress.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { LoadingOverlay } from '../../shared/ui/placeholders/loading-overlay.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './birthday/news.module.css';
import { dayText } from './day.js';

const home: Path = '/user/grants';
const logOfFamily = `/user/access-log?${new URLSearchParams({ show: 'family', period: 'all' })}`;

/** Told once, after a sign-in: who acts for a young patient; or who does no more, from an age on. */
export function FamilyNewsPage() {
  const [query] = useSearchParams();
  const target = knownReturnUrl(returnUrlOf(query.toString()), window.location.origin);
  return target?.onServer ? <InFlow returnUrl={target.to} /> : <InPortal target={target} />;
}

function InPortal({ target }: { target: KnownReturnUrl | null }) {
  const navigate = useNavigate();
  const [loadSession] = useLazySessionQuery();
  const next = target?.to ?? home;
  const onSeen = async (to: string = next) => {
    // The session says no more that there are news.
    await loadSession();
    navigate(to, { replace: true });
  };
  return <News onSeen={onSeen} onNothing={<Navigate to={next} replace />} />;
}

function InFlow({ returnUrl }: { returnUrl: string }) {
  const navigate = useNavigate();
  const { place, isLoading } = useFlowProgress(returnUrl);
  // It was answered in another tab, or has expired.
  if (!isLoading && !place) return <Navigate to={endedPage(returnUrl)} replace />;
  return (
    <News
      returnUrl={returnUrl}
      progress={<FlowProgress place={place} />}
      onSeen={() => leave(returnUrl)}
      onEnded={() => navigate(endedPage(returnUrl), { replace: true })}
    />
  );
}

interface Way {
  /** Of an app's request; then no other page is linked. */
  returnUrl?: string;
  progress?: ReactNode;
  onSeen: (to?: string) => unknown;
  /** The app's request has ended. */
  onEnded?: () => void;
  /** In place of a page that has nothing to tell; without it the app's request continues at once. */
  onNothing?: ReactNode;
}

function News({ returnUrl, progress, onSeen, onEnded, onNothing }: Way) {
  const { t } = useTranslation();
  const { currentData: news, isError, isFetching, refetch } = useFamilyNewsQuery();
  const [see, { isLoading, isSuccess }] = useSeeNewsMutation();
  const [left, setLeft] = useState(false);
  const slow = useSlow(isFetching && !news);
  if (!news) {
    return (
      <FlowColumn>
        <h1 className="visually-hidden">{t('common.loading')}</h1>
        {slow && <Skeleton height={240} />}
        {isError && !isFetching && <LoadFailed onRetry={refetch} />}
      </FlowColumn>
    );
  }
  const goOn = async (to?: string) => {
    setLeft(true);
    const relationships = [...news.acts, ...news.ended].map(({ id }) => id);
    const { error } = await see({ relationships, ...(returnUrl !== undefined && { returnUrl }) });
    if (!error) await onSeen(to);
    else if (onEnded && 'status' in error && error.status === 400) onEnded();
    else notifyFailure(error);
  };
  if (news.acts.length + news.ended.length === 0) {
    // It was read in another tab.
    if (!left) return onNothing ?? <AtOnce act={goOn} />;
    return isLoading || isSuccess ? <LoadingOverlay /> : <LoadFailed onRetry={() => void goOn()} />;
  }
  const onOpen = returnUrl === undefined ? goOn : undefined;
  return (
    <>
      {isSuccess && <LoadingOverlay />}
      <FlowColumn>
        {progress}
        <div className={styles.page}>
          {news.ended.length > 0 ? <Ended news={news} onOpen={onOpen} /> : <Acts news={news} onOpen={onOpen} />}
        </div>
      </FlowColumn>
      <ActionBar label={t('familyNews.actions')}>
        <Button type="primary" loading={isLoading || isSuccess} onClick={() => goOn()}>
          {t('familyNews.continue')}
        </Button>
      </ActionBar>
    </>
  );
}

function AtOnce({ act }: { act: () => unknown }) {
  const acted = useRef(false);
  useEffect(() => {
    if (acted.current) return;
    acted.current = true;
    void act();
  }, [act]);
  return <LoadingOverlay />;
}

type Opening = ((to: string) => unknown) | undefined;

function Acts({ news: { firstName, acts }, onOpen }: { news: FamilyNews; onOpen: Opening }) {
  const { t } = useTranslation();
  const name = isolateName(firstName);
  return (
    <>
      <span className={styles.mark}>
        <TeamOutlined aria-hidden />
      </span>
      <PageTitle>{t('familyNews.actsTitle', { name })}</PageTitle>
      <p className={styles.lead}>{t('familyNews.actsLead', { count: acts.length })}</p>
      <ActingList title={t('familyNews.whoActs')} acts={acts} onOpen={onOpen} />
    </>
  );
}

function ActingList({ title, acts, onOpen }: { title: string; acts: ActingNews[]; onOpen: Opening }) {
  const { t } = useTranslation();
  return (
    <section className={styles.part}>
      <h2>{title}</h2>
      <ul className={cardStyles.card}>
        {acts.map(({ id, name, relation, since, kinds }) => (
          <Row key={id} mark={<Monogram name={name} size={40} round />}>
            <bdi>{t('familyNews.who', { name, relation })}</bdi>
            <span>{t('familyNews.since', { date: dayText(since) })}</span>
            <span>{kinds === null ? t('familyNews.seesAll') : seenText(kinds)}</span>
          </Row>
        ))}
        <LogRow onOpen={onOpen} />
      </ul>
    </section>
  );
}

/** Each level shows who the patient is, so that this tells nothing. */
function seenText(kinds: string[]): string {
  const names = namesOfKinds(kinds.filter((kind) => kind !== 'Patient'));
  return names.length === 0 ? t('familyNews.seesNothing') : t('familyNews.sees', { kinds: listOf(names) });
}

function Ended({ news, onOpen }: { news: FamilyNews; onOpen: Opening }) {
  const { t } = useTranslation();
  const { ended, acts, continues, canInvite } = news;
  const goesOn = continues.apps.length + continues.representatives.length > 0;
  return (
    <>
      <span className={styles.mark}>
        <LockOutlined aria-hidden />
      </span>
      <EndedWords news={news} />
      <section className={styles.part}>
        <h2>{t('familyNews.whatEnded')}</h2>
        <ul className={cardStyles.card}>
          {ended.map((one) => (
            <EndedRows key={one.id} one={one} />
          ))}
          <LogRow onOpen={onOpen} />
        </ul>
      </section>
      {acts.length > 0 && <ActingList title={t('familyNews.whoActs')} acts={acts} onOpen={undefined} />}
      {goesOn && (
        <section className={styles.part}>
          <h2>{t('familyNews.whatContinues')}</h2>
          <ul className={cardStyles.card}>
            {continues.representatives.map((name) => (
              <Row key={`person ${name}`} mark={<Monogram name={name} size={40} round />}>
                <bdi>{name}</bdi>
                <span>{t('familyNews.stillActs')}</span>
              </Row>
            ))}
            {continues.apps.map((name) => (
              <Row key={`app ${name}`} mark={<Monogram name={name} size={40} />}>
                <bdi>{name}</bdi>
                <span>{t('familyNews.ownApp')}</span>
              </Row>
            ))}
          </ul>
        </section>
      )}
      {canInvite && (
        <section className={styles.part}>
          <h2>{t('familyNews.help')}</h2>
          <ul className={cardStyles.card}>
            <LinkRow icon={<UserAddOutlined aria-hidden />} to="/user/family/invite" onOpen={onOpen}>
              <span>{t('familyNews.invite')}</span>
              <span>{t(onOpen ? 'familyNews.inviteText' : 'familyNews.inviteLater')}</span>
            </LinkRow>
          </ul>
        </section>
      )}
    </>
  );
}

function EndedWords({ news: { firstName, reached, acts, continues } }: { news: FamilyNews }) {
  const { t } = useTranslation();
  const name = isolateName(firstName);
  const names = [...acts.map((one) => one.name), ...continues.representatives];
  const isAlone = names.length === 0;
  const date = reached && dayText(reached.on);
  const age = reached?.age;
  const turned = reached && t(reached.isExact ? 'familyNews.turned' : 'familyNews.mayHaveTurned', { age, date });
  return (
    <>
      <PageTitle>{t(isAlone ? 'familyNews.aloneTitle' : 'familyNews.lessTitle', { name })}</PageTitle>
      <p className={styles.lead}>
        {turned}{' '}
        {isAlone
          ? t('familyNews.noneActs')
          : t('familyNews.someAct', { names: listOf(names.map((one) => isolateName(one))) })}
      </p>
    </>
  );
}

function EndedRows({ one: { name, relation, wasFull, apps } }: { one: EndedNews }) {
  const { t } = useTranslation();
  return (
    <>
      <Row mark={<Monogram name={name} size={40} round />}>
        <bdi>{t('familyNews.who', { name, relation })}</bdi>
        <span>{t(wasFull ? 'familyNews.sawRecord' : 'familyNews.sawPart')}</span>
      </Row>
      {apps.map((app) => (
        <Row key={app} mark={<Monogram name={app} size={40} />}>
          <bdi>{app}</bdi>
          <span>{t('familyNews.appOf', { name: isolateName(name) })}</span>
        </Row>
      ))}
    </>
  );
}

function Row({ mark, children }: { mark: ReactNode; children: ReactNode }) {
  return (
    <li>
      {mark}
      <span className={styles.texts}>{children}</span>
    </li>
  );
}

/** In an app's request no other page is opened: there it says where to find it. */
function LogRow({ onOpen }: { onOpen: Opening }) {
  const { t } = useTranslation();
  return (
    <LinkRow to={logOfFamily} onOpen={onOpen}>
      <span className={onOpen && styles.linked}>{t('familyNews.log')}</span>
      {!onOpen && <span>{t('familyNews.logLater')}</span>}
    </LinkRow>
  );
}

function LinkRow({
  icon,
  to,
  onOpen,
  children,
}: {
  icon?: ReactNode;
  to: string;
  onOpen: Opening;
  children: ReactNode;
}) {
  const text = (
    <>
      {icon}
      <span className={styles.texts}>{children}</span>
    </>
  );
  if (!onOpen) return <li>{text}</li>;
  return (
    <li className={styles.link}>
      <button type="button" onClick={() => onOpen(to)}>
        {text}
        <RightOutlined aria-hidden className={styles.turned ?? ''} />
      </button>
    </li>
  );
}
