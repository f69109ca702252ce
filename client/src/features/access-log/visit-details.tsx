import { RightOutlined } from '@ant-design/icons';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { AccessReason, Visit, VisitRequest } from '../../../../src/contract/own-record/access-log.js';
import type { ClientGrant } from '../../../../src/contract/own-record/grants.js';
import type { RepresentedApp } from '../../../../src/contract/own-record/represented-apps.js';
import { useVisitRequestsInfiniteQuery } from '../../api/own-record/access-log.js';
import { useRepresentedAppsQuery } from '../../api/own-record/family.js';
import { useGrantsQuery } from '../../api/own-record/grants.js';
import { longDate, longMoment } from '../../shared/i18n/dates.js';
import { display } from '../../shared/i18n/fhir-dates.js';
import { t } from '../../shared/i18n/i18n.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { numeral, plainList } from '../../shared/i18n/language.js';
import { levelInText } from '../../shared/levels/level-texts.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { kindName } from '../../shared/scopes/scope-texts.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { TakeBackDialog } from '../grants/take-back-dialog.js';
import {
  accessorKind,
  accessorName,
  appIn,
  isAnswered,
  linesOf,
  sortedKinds,
  spanText,
  verbs,
} from './access-words.js';
import { EndRepresentedApp } from './end-represented-app.js';
import { useLogFilter } from './use-log-filter.js';
import styles from './visit-details.module.css';
import '../grants/words/en.js';

/** An entry that was opened: numbers and never values, the reason, and what can be done about it. */
export function VisitDetails({
  visit,
  organization,
  reportAddress,
}: {
  visit: Visit;
  organization: string;
  reportAddress: string | null;
}) {
  const { t } = useTranslation();
  const { patient, tenant } = useLogFilter().filter;
  const { by, app, person, exportId, start, end, reference, did } = visit;
  const { data, isError, isFetching, fetchNextPage, hasNextPage, refetch } = useVisitRequestsInfiniteQuery({
    ...{ by, start, end },
    ...(app && { clientId: app.id }),
    ...(person && { personId: person.id }),
    ...(exportId !== null && { exportId }),
    ...(patient && { patient }),
    ...(patient && tenant && { tenant }),
  });
  const slow = useSlow(isFetching && !data);
  const reason = data?.pages[0]?.reason;
  const requests = data?.pages.flatMap((page) => page.requests);
  return (
    <div className={styles.details}>
      <div className={styles.facts}>
        <div className={styles.counts}>
          {verbs.map((verb) => {
            const kinds = did[verb];
            return kinds && <Counts key={verb} title={t(`accessLog.what.${verb}`)} kinds={sortedKinds(kinds)} />;
          })}
        </div>
        <dl>
          <div>
            <dt>{t('accessLog.when')}</dt>
            <dd>{spanText(visit)}</dd>
          </div>
          {reason?.kind === 'represented' && <WhyRepresented reason={reason} visit={visit} />}
          {reason && reason.kind !== 'represented' && isAnswered(visit) && (
            <Why reason={visit.trial ? { kind: 'trial' } : reason} organization={organization} />
          )}
          {slow && <Skeleton width="70%" />}
          {reference && (
            <div>
              <dt>{t('accessLog.reference')}</dt>
              <dd className={styles.reference}>{reference}</dd>
            </div>
          )}
        </dl>
      </div>
      {isError && !isFetching && !data && <LoadFailed onRetry={refetch} />}
      {requests && (
        <Requests visit={visit} requests={requests} onMore={hasNextPage ? () => void fetchNextPage() : undefined} />
      )}
      <Actions visit={visit} organization={organization} reportAddress={reportAddress} />
    </div>
  );
}

function Counts({ title, kinds }: { title: string; kinds: [kind: string, number: number][] }) {
  const { t } = useTranslation();
  const rows = kinds.length > 0 ? kinds : ([['*', 0]] as const);
  return (
    <dl>
      <dt>{title}</dt>
      {rows.map(([kind, number]) => (
        <dd key={kind}>
          <span>{kindName(kind)}</span>
          {number > 0 && (
            <span className={styles.number}>{t('accessLog.entries', { count: number, number: numeral(number) })}</span>
          )}
        </dd>
      ))}
    </dl>
  );
}

type Represented = Extract<AccessReason, { kind: 'represented' }>;

/** Both reasons stand apart: why the user could, and why the app could. */
function WhyRepresented({ reason, visit }: { reason: Represented; visit: Visit }) {
  const { t } = useTranslation();
  const { basis, end, at } = reason;
  const level = levelInText(reason.level, reason.levelKinds);
  const name = isolateName(reason.name);
  const until = end ? ` ${t('accessLog.reasons.until', { date: display(end, 'long') })}` : '';
  return (
    <>
      <div>
        <dt>{t('accessLog.whyUser', { name })}</dt>
        <dd>{t('accessLog.reasons.represented', { basis, level }) + until}</dd>
      </div>
      {at && (
        <div>
          <dt>{t('accessLog.whyApp', { app: appIn(visit) })}</dt>
          <dd>{t('accessLog.reasons.allowedFor', { name, date: longDate(at).date })}</dd>
        </div>
      )}
    </>
  );
}

function Why({
  reason,
  organization,
}: {
  reason: Exclude<AccessReason, Represented> | { kind: 'trial' };
  organization: string;
}) {
  const { t } = useTranslation();
  const text = () => {
    if (reason.kind === 'allowed') {
      const { date } = longDate(reason.at);
      if (reason.days === null) return t('accessLog.reasons.allowed', { date });
      return t('accessLog.reasons.allowedForDays', { date, count: reason.days, number: numeral(reason.days) });
    }
    if (reason.kind === 'not-asked') return t('accessLog.reasons.notAsked', { organization });
    if (reason.kind === 'staff' && reason.source) {
      const { by, panel } = reason.source;
      const opened = t(`accessLog.reasons.${by}`, { organization });
      return panel ? `${opened} ${t(`accessLog.reasons.panels.${panel}`)}` : opened;
    }
    return reason.kind === 'unknown' ? null : t(`accessLog.reasons.${reason.kind}`, { organization });
  };
  const why = text();
  return (
    why && (
      <div>
        <dt>{t('accessLog.why')}</dt>
        <dd>{why}</dd>
      </div>
    )
  );
}

/** The single requests, behind a button: most readers do not need them. */
function Requests({
  visit: { requests: total },
  requests,
  onMore,
}: {
  visit: Visit;
  requests: VisitRequest[];
  onMore: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className={styles.requests}>
      <button
        type="button"
        className={styles.link}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        {open ? t('accessLog.hideRequests') : t('accessLog.showRequests', { count: total, number: numeral(total) })}
      </button>
      {open && (
        <div id={id}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('accessLog.time')}</th>
                <th scope="col">{t('accessLog.request')}</th>
                <th scope="col">{t('accessLog.result')}</th>
              </tr>
            </thead>
            <tbody>
              {requests.map((request) => (
                <tr key={request.id}>
                  <td>{exactTime(request.at)}</td>
                  <td>{requestText(request)}</td>
                  <td>{t(`accessLog.results.${resultOf(request.status)}`)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {onMore && (
            <button type="button" className={styles.link} onClick={onMore}>
              {t('accessLog.moreRequests')}
            </button>
          )}
        </div>
      )}
    </div>
  );

  function requestText({ verb, kinds }: VisitRequest): string {
    const counted = sortedKinds(kinds).map(([kind, number]) =>
      number > 0 ? `${kindName(kind)} (${numeral(number)})` : kindName(kind),
    );
    return t(`accessLog.${verb}`, { what: plainList(counted) || t('accessLog.yourData') });
  }
}

function exactTime(iso: string): string {
  return longDate(iso, 'seconds').time;
}

function resultOf(status: number): 'answered' | 'refused' | 'notFound' | 'failed' {
  if (status < 400) return 'answered';
  if (status === 401 || status === 403) return 'refused';
  return status === 404 || status === 410 ? 'notFound' : 'failed';
}

/** Only an app that is under 'Manage Apps' can be looked at there, and lose its access. */
function Actions({
  visit,
  organization,
  reportAddress,
}: {
  visit: Visit;
  organization: string;
  reportAddress: string | null;
}) {
  const { t } = useTranslation();
  const { by, app } = visit;
  const { patient, tenant } = useLogFilter().filter;
  const { data: grants, refetch } = useGrantsQuery(undefined, { skip: by !== 'app' });
  const [asking, setAsking] = useState(false);
  const isMeant = (one: ClientGrant) =>
    one.clientId === app?.id &&
    (one.patient?.reference ?? null) === patient &&
    (tenant === null || one.patient?.tenant === tenant);
  const grant = by === 'app' ? grants?.clientsPermissions.find(isMeant) : undefined;
  const report = reportAddress && reportLink(reportAddress, visit, organization);
  const represented = useRepresentedApp(visit);
  if (!grant && !report && !represented) return null;
  return (
    <ul className={styles.actions}>
      {grant && (
        <li>
          <Link to={patient ? '/user/grants' : `/user/grants?${new URLSearchParams({ app: grant.clientId })}`}>
            {t('accessLog.permissions')} <RightOutlined aria-hidden />
          </Link>
        </li>
      )}
      {report && (
        <li>
          <a href={report} {...(report.startsWith('https:') && { target: '_blank', rel: 'noopener noreferrer' })}>
            {t('accessLog.report')} <RightOutlined aria-hidden />
          </a>
        </li>
      )}
      {represented && (
        <>
          <li>
            <Link to="/user/family">
              {t('accessLog.appsOf', { name: isolateName(represented.fullName) })} <RightOutlined aria-hidden />
            </Link>
          </li>
          <li className={styles.last}>
            <button type="button" className={styles.danger} onClick={() => setAsking(true)}>
              {t('accessLog.endApp', { app: isolateName(represented.clientName) })}
            </button>
            <EndRepresentedApp app={represented} open={asking} onClose={() => setAsking(false)} />
          </li>
        </>
      )}
      {grant && grant.created !== null && (
        <li className={styles.last}>
          <button type="button" className={styles.danger} onClick={() => setAsking(true)}>
            {t('grants.takeBack')}
          </button>
          <TakeBackDialog grant={grant} open={asking} onClose={() => setAsking(false)} onGone={refetch} />
        </li>
      )}
    </ul>
  );
}

/** The app of a visit by a user who acts for the patient, as long as it has access. */
function useRepresentedApp({ by, app, person }: Visit): RepresentedApp | undefined {
  const { patient } = useLogFilter().filter;
  const skip = by !== 'representative' || patient !== null;
  const { data } = useRepresentedAppsQuery(undefined, { skip });
  return data?.find((one) => one.clientId === app?.id && one.personId === person?.id);
}

/** A mail, or a page with the reference. */
function reportLink(address: string, visit: Visit, organization: string): string {
  const { reference, start, id } = visit;
  if (address.startsWith('https:')) {
    const page = new URL(address);
    page.searchParams.set('reference', reference ?? id);
    return page.href;
  }
  const body = t('accessLog.reportText', {
    who: `${accessorName(visit)} (${accessorKind(visit)})`,
    when: longMoment(start),
    what: linesOf(visit, organization).join('\n'),
    reference: plainList([...(reference ? [reference] : []), id]),
  });
  // RFC 6068 §5: a space is %20, and a line ends with %0D%0A.
  const encoded = (text: string) => encodeURIComponent(text.replaceAll('\n', '\r\n'));
  return `mailto:${encodeURIComponent(address)}?subject=${encoded(t('accessLog.reportSubject'))}&body=${encoded(body)}`;
}
