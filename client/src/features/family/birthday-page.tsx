import './words/en.js';
import { LockOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams, useSearchParams } from 'react-router-dom';
import type { AppAtStep, ComingStep, ComparedKind } from '../../../../src/contract/representation/coming-step.js';
import { isGone } from '../../api/failures/form-errors.js';
import { useComingStepQuery } from '../../api/own-record/family.js';
import { useSessionQuery } from '../../api/session.js';
import { useSettings } from '../../api/settings.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { capitalized, listOf } from '../../shared/i18n/language.js';
import { namesOfKinds } from '../../shared/levels/level-texts.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import { kindName } from '../../shared/scopes/scope-texts.js';
import { PatientBanner } from '../../shared/ui/flow/patient-banner.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './birthday/birthday.module.css';
import { AskChangeSheet } from './cards/ask-change-sheet.js';
import { dayText } from './day.js';
import family from './family.module.css';

/** The changes of a patient's birthday for a representative: by the rule, whatever the record has. */
export function BirthdayPage() {
  const { id = '' } = useParams();
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { currentData, error, isFetching, refetch } = useComingStepQuery(id, { refetchOnMountOrArgChange: true });
  const slow = useSlow(isFetching && !currentData);
  return (
    <div className={family.narrow}>
      {currentData ? (
        <Birthday id={id} step={currentData} />
      ) : isGone(error) && !isFetching ? (
        <>
          <PageTitle>{t('family.birthdayNone')}</PageTitle>
          <Button block onClick={() => navigate('/user/family')}>
            {t('family.done')}
          </Button>
        </>
      ) : (
        error && !isFetching && <LoadFailed onRetry={refetch} />
      )}
      {slow && <Skeleton height={200} />}
    </div>
  );
}

function titleOf({ takes, ends, needsAgreement, bornOn }: ComingStep) {
  const isKnown = bornOn === 'day' || bornOn === '29 February';
  if (!takes) return isKnown ? 'family.birthdayMore' : 'family.birthdayMayMore';
  if (ends) return isKnown ? 'family.birthdayEnds' : 'family.birthdayMayEnd';
  if (needsAgreement) return isKnown ? 'family.birthdayAgreement' : 'family.birthdayMayAgree';
  return isKnown ? 'family.birthdayTitle' : 'family.birthdayMay';
}

const twoDays = {
  day: null,
  month: 'family.birthdayMonth',
  year: 'family.birthdayYear',
  '29 February': 'family.birthdayLeap',
} as const satisfies Record<ComingStep['bornOn'], string | null>;

function leadOf({ takes, ends }: ComingStep) {
  if (!takes) return 'family.birthdayMoreLead';
  return ends ? 'family.birthdayEndsLead' : 'family.birthdayLead';
}

function Birthday({ id, step }: { id: string; step: ComingStep }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const organization = useSettings().organizationTitle ?? t('product.name');
  const [open, setOpen] = useState(false);
  const [query] = useSearchParams();
  const { name, age, on, surelyOn, bornOn, takes, ends, needsAgreement, kinds, apps } = step;
  const canKeepMore = takes && !ends && !needsAgreement;
  const values = { name: isolateName(name), age, date: dayText(on), surely: dayText(surelyOn), organization };
  const about = twoDays[bornOn];
  return (
    <>
      {query.has('acting') && <ActingFor step={step} />}
      <PageTitle>{t(titleOf(step), values)}</PageTitle>
      <p className={family.lead}>{t(leadOf(step), values)}</p>
      {about && <p className={styles.note}>{t(about, values)}</p>}
      <Kinds kinds={kinds} days={[dayText(on), dayText(surelyOn)]} />
      {apps.length > 0 && (
        <section className={styles.apps}>
          <h2>{t('family.birthdayApps', values)}</h2>
          <ul className={cardStyles.card}>
            {apps.map((app) => (
              <App key={app.clientName} app={app} />
            ))}
          </ul>
        </section>
      )}
      <div className={canKeepMore ? styles.pair : styles.one}>
        {canKeepMore && <Button onClick={() => setOpen(true)}>{t('family.keepMore')}</Button>}
        <Button type="primary" onClick={() => navigate('/user/family')}>
          {t('family.done')}
        </Button>
      </div>
      <AskChangeSheet relationship={{ id, name }} step={age} open={open} onClose={() => setOpen(false)} />
    </>
  );
}

/** Opened from an app's request, in which the user acts for the patient: acting belongs to the request alone. */
function ActingFor({ step: { name, relation, birthDate } }: { step: ComingStep }) {
  const { data: user } = useSessionQuery();
  const acting = { relation, basis: '', levels: [], relationship: '', changesOn: null };
  const patient = { id: '', name, birthDate, recordNumber: null, canChange: false, acting };
  return (
    <div className={styles.acting}>
      <PatientBanner patient={patient} user={user?.fullName} returnUrl="" />
    </div>
  );
}

/** The same kinds stand here when nothing of them exists. */
function Kinds({ kinds, days: [date, surely] }: { kinds: ComparedKind[]; days: [on: string, surelyOn: string] }) {
  const { t } = useTranslation();
  const givesLater = kinds.some((one) => one.later !== one.surely);
  return (
    <div className={`${cardStyles.card} ${styles.kinds}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('family.youAndApps')}</th>
            <th scope="col">{t('family.now')}</th>
            <th scope="col">{t('family.from', { date })}</th>
            {givesLater && <th scope="col">{t('family.from', { date: surely })}</th>}
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, now, later, surely: last }) => (
            <tr key={kind}>
              <th scope="row">{capitalized(listOf(namesOfKinds([kind])))}</th>
              <td>
                <Seen isSeen={now} />
              </td>
              <td>
                <Seen isSeen={later} />
              </td>
              {givesLater && (
                <td>
                  <Seen isSeen={last} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Seen({ isSeen }: { isSeen: boolean }) {
  const { t } = useTranslation();
  if (isSeen) return <Badge>{t('family.see')}</Badge>;
  return (
    <span className={styles.private}>
      <LockOutlined aria-hidden /> {t('family.private')}
    </span>
  );
}

function App({ app: { clientName, ends, lost } }: { app: AppAtStep }) {
  const { t } = useTranslation();
  const kinds = listOf(lost.map((kind) => kindName(kind)));
  const text =
    lost.length === 0 ? t('family.appContinues') : t(ends ? 'family.appEnds' : 'family.appWithout', { kinds });
  return (
    <li>
      <Monogram name={clientName} size={40} />
      <span>
        <bdi>{clientName}</bdi>
        <span>{text}</span>
      </span>
    </li>
  );
}
