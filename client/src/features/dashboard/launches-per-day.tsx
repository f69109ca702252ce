import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { LaunchDay } from '../../../../src/contract/activity.js';
import { useLaunchDaysQuery } from '../../api/activity.js';
import { t } from '../../shared/i18n/i18n.js';
import { locale, numeral } from '../../shared/i18n/language.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { axisStep } from './axis-step.js';
import styles from './launches-per-day.module.css';

/** Pause between two looks. */
export const pollingInterval = 60_000;

const gridLines = 3;
const enoughDays = 7;

/** The launches of the last 14 days: those that succeeded below, those that did not above. */
export function LaunchesPerDay() {
  const { t } = useTranslation();
  const {
    data: days,
    isError,
    isFetching,
    refetch,
  } = useLaunchDaysQuery(undefined, {
    pollingInterval,
    skipPollingIfUnfocused: true,
  });
  const slow = useSlow(isFetching && !days);
  return (
    <section className={`${cardStyles.card} ${styles.card}`} aria-labelledby="per-day">
      <div className={styles.head}>
        <div>
          <h2 id="per-day">{t('activity.perDay')}</h2>
          {days && <p className={styles.help}>{range(days)}</p>}
        </div>
        <ul className={styles.legend} aria-hidden="true">
          <li className={styles.succeeded}>{t('activity.succeededLegend')}</li>
          <li className={styles.refused}>{t('activity.refusedLegend')}</li>
        </ul>
      </div>
      {days ? (
        <Chart days={days} />
      ) : isError && !isFetching ? (
        <LoadFailed onRetry={refetch} />
      ) : (
        <div className={styles.plot}>{slow && <Skeleton width="100%" height={12} />}</div>
      )}
      <p className={styles.foot}>
        <span>{days && todayText(days)}</span>
        <Link className="target" to="/admin/activity">
          {t('activity.openActivity')}
        </Link>
      </p>
    </section>
  );
}

/** The days are those of UTC. */
function dayText(day: string, form: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale(), { timeZone: 'UTC', ...form }).format(new Date(day));
}

function range(days: LaunchDay[]): string {
  const dayOf = (one: LaunchDay | undefined) => (one ? dayText(one.day, { month: 'long', day: 'numeric' }) : '');
  const text = t('activity.perDayRange', { from: dayOf(days.at(0)), to: dayOf(days.at(-1)) });
  const begun = days.findIndex(({ completed, refused }) => completed + refused > 0);
  const isFew = begun < 0 || days.length - begun < enoughDays;
  return isFew ? `${text}. ${t('activity.perDayFew')}` : text;
}

function todayText(days: LaunchDay[]): string {
  const { completed = 0, refused = 0 } = days.at(-1) ?? {};
  if (completed + refused === 0) return t('activity.todayNone');
  if (refused === 0) return t('activity.todayFine');
  return t('activity.todayRefused', { refused: numeral(refused), total: numeral(completed + refused) });
}

function Chart({ days }: { days: LaunchDay[] }) {
  const { t } = useTranslation();
  const step = axisStep(Math.max(...days.map(({ completed, refused }) => completed + refused), 0), gridLines);
  const height = (value: number) => ({ height: `${(value / (step * gridLines)) * 100}%` });
  return (
    <>
      <div className={styles.plot} aria-hidden="true">
        {[3, 2, 1, 0].map((line) => (
          <span key={line} className={styles.line} style={{ bottom: `${(line / gridLines) * 100}%` }}>
            <span>{numeral(line * step)}</span>
          </span>
        ))}
        <div className={styles.bars}>
          {days.map(({ day, completed, refused }, index) => (
            <div key={day} className={styles.day}>
              {refused > 0 && <span className={styles.refusedBar} style={height(refused)} />}
              {completed > 0 && <span className={styles.succeededBar} style={height(completed)} />}
              <span className={index === days.length - 1 ? `${styles.label} ${styles.today}` : styles.label}>
                {dayText(day, { day: 'numeric' })}
              </span>
            </div>
          ))}
        </div>
      </div>
      <div className="visually-hidden">
        <table>
          <caption>{t('activity.perDay')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('activity.day')}</th>
              <th scope="col">{t('activity.succeededLegend')}</th>
              <th scope="col">{t('activity.refusedLegend')}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, completed, refused }) => (
              <tr key={day}>
                <th scope="row">{dayText(day, { dateStyle: 'long' })}</th>
                <td>{numeral(completed)}</td>
                <td>{numeral(refused)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
