import { ExclamationCircleOutlined, MinusCircleOutlined, StopOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { LaunchRow, LaunchState } from '../../../../src/contract/activity.js';
import { t } from '../i18n/i18n.js';
import { locale, numeral } from '../i18n/language.js';
import { Badge } from '../ui/marks/badge.js';
import { Status } from '../ui/marks/status.js';
import { Name } from '../ui/text/name.js';
import styles from './launch-facts.module.css';
import './words/en.js';

export function appName({ client }: Pick<LaunchRow, 'client'>): string {
  return client?.name ?? client?.id ?? t('activity.noApp');
}

/** Below the app's name: its id, or that no client has this id. */
export function AppId({ client }: Pick<LaunchRow, 'client'>) {
  if (!client) return null;
  if (client.name === null) return t('activity.notRegistered');
  return (
    <span className={styles.code}>
      <Name>{client.id}</Name>
    </span>
  );
}

export function PersonText({ person, kind }: Pick<LaunchRow, 'person' | 'kind'>) {
  const { t } = useTranslation();
  if (!person && kind === 'unknown') return t('activity.unknownSender');
  if (!person) {
    const isService = kind === 'service';
    return (
      <span className={`pair ${styles.two}`}>
        <span className={styles.first}>{t(isService ? 'activity.noPerson' : 'activity.notSignedIn')}</span>{' '}
        {isService && <span className={styles.second}>{t('activity.service')}</span>}
      </span>
    );
  }
  return (
    <span className={`pair ${styles.two}`}>
      <span className={styles.first}>
        <Name>{person.name ?? t('activity.deletedPerson')}</Name>
      </span>{' '}
      {person.userType && <span className={styles.second}>{t(`roles.${person.userType}`)}</span>}
    </span>
  );
}

export function outcomeText(outcome: LaunchState, kind: LaunchRow['kind'] = 'launch'): string {
  return outcome === 'completed' && kind !== 'launch' ? t('activity.succeeded') : t(`activity.outcomes.${outcome}`);
}

/** Exceptions are badges; what went well, or still may, is a dot and a word. */
export function Outcome({ state, kind }: Pick<LaunchRow, 'state' | 'kind'>) {
  const text = outcomeText(state, kind);
  switch (state) {
    case 'refused':
      return (
        <Badge tone="bad" icon={<StopOutlined aria-hidden />}>
          {text}
        </Badge>
      );
    case 'failed':
      return (
        <Badge tone="warning" icon={<ExclamationCircleOutlined aria-hidden />}>
          {text}
        </Badge>
      );
    case 'request-refused':
      return (
        <Badge tone="warning" icon={<StopOutlined aria-hidden />}>
          {text}
        </Badge>
      );
    case 'declined':
    case 'ended':
    case 'left':
      return <Badge icon={<MinusCircleOutlined aria-hidden />}>{text}</Badge>;
    default:
      return <Status on={state === 'completed'}>{text}</Status>;
  }
}

/** The day in words where it is near, and the time with its seconds. */
export function moment(iso: string): { day: string; time: string } {
  const at = new Date(iso);
  const dayOf = (date: Date) => date.toDateString();
  const yesterday = new Date();
  yesterday.setDate(yesterday.getDate() - 1);
  const day =
    dayOf(at) === dayOf(new Date())
      ? t('activity.today')
      : dayOf(at) === dayOf(yesterday)
        ? t('activity.yesterday')
        : new Intl.DateTimeFormat(locale(), { dateStyle: 'medium' }).format(at);
  // Intl separates the seconds from AM/PM by U+202F, for which the loaded font subset has no glyph.
  const time = new Intl.DateTimeFormat(locale(), { timeStyle: 'medium' }).format(at).replace('\u202f', ' ');
  return { day, time };
}

export function When({ iso }: { iso: string }) {
  const { day, time } = moment(iso);
  return (
    <time className={styles.two} dateTime={iso}>
      <span className={styles.first}>{day}</span> <span className={styles.second}>{time}</span>
    </time>
  );
}

const minute = 60_000;
const hour = 60 * minute;

/** '24 s', '3 min', '2 h': how long, in one short unit. */
export function shortDuration(ms: number): string {
  if (ms < minute) return t('activity.seconds', { seconds: numeral(Math.round(ms / 1000)) });
  if (ms < hour) return t('activity.minutes', { minutes: numeral(Math.round(ms / minute)) });
  return t('activity.hours', { hours: numeral(Math.round(ms / hour)) });
}
