import {
  CheckCircleFilled,
  ClockCircleOutlined,
  CloseCircleFilled,
  QuestionCircleOutlined,
  WarningFilled,
} from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { SecretFilter } from '../../../../src/contract/rules/client-values.js';
import { useLaunchesQuery } from '../../api/activity.js';
import { useClientsQuery } from '../../api/clients/clients.js';
import { useSecretRotationsQuery } from '../../api/clients/secret-rotation.js';
import { useServerStatus } from '../../api/dashboard.js';
import { useRequestCountQuery } from '../../api/requests.js';
import { useSettings } from '../../api/settings.js';
import { t } from '../../shared/i18n/i18n.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { numeral, plainList } from '../../shared/i18n/language.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Count } from '../../shared/ui/marks/count.js';
import styles from './attention.module.css';
import { pollingInterval } from './launches-per-day.js';
import '../../shared/list/words/en.js';

interface Item {
  key: string;
  look: 'bad' | 'warning' | 'notice' | 'unknown';
  title: string;
  text?: string | undefined;
  link: string;
  to: string;
}

/** The result of one check: its finding, null if it found nothing or could not be made, undefined until then. */
type Found = Item | null | undefined;

const icons = {
  bad: CloseCircleFilled,
  warning: WarningFilled,
  notice: ClockCircleOutlined,
  unknown: QuestionCircleOutlined,
};
/** The worst first. */
const looks = Object.keys(icons) as Item['look'][];

const polled = { pollingInterval, skipPollingIfUnfocused: true };

export interface Findings {
  items: Item[];
  /** False until each check has a result. */
  isKnown: boolean;
}

/** Problems that an administrator can solve, the worst first. */
export function useFindings(): Findings {
  const found = [
    useFhirServer(),
    useSecrets('expired'),
    useRefusals(),
    useSecrets('expiring'),
    useSecrets('idle'),
    useRotations(),
    useLateRequests(),
  ];
  const items = found.flatMap((item) => item ?? []);
  items.sort((one, other) => looks.indexOf(one.look) - looks.indexOf(other.look));
  return { items, isKnown: found.every((item) => item !== undefined) };
}

/** The findings, with one link each. */
export function Attention({ items, isKnown }: Findings) {
  const { t } = useTranslation();
  return (
    <section className={`${cardStyles.card} ${styles.card}`} aria-labelledby="attention" aria-busy={!isKnown}>
      <h2 id="attention">
        {t('attention.title')}
        {items.length > 0 && (
          <Count shown={String(items.length)} words={t('list.totalOf', { number: numeral(items.length) })} />
        )}
      </h2>
      {items.length > 0 && (
        <ul>
          {items.map(({ key, look, title, text, link, to }) => {
            const Icon = icons[look];
            return (
              <li key={key}>
                <Icon className={styles[look]} aria-hidden />
                <div className={styles.what}>
                  <p className={styles.title}>{title}</p>
                  {text && <p className={styles.help}>{text}</p>}
                </div>
                <Link className="target" to={to}>
                  {link}
                </Link>
              </li>
            );
          })}
        </ul>
      )}
      {isKnown && items.length === 0 && (
        <p className={styles.none}>
          <CheckCircleFilled className={styles.good} aria-hidden /> {t('attention.none')}
        </p>
      )}
    </section>
  );
}

function useFhirServer(): Found {
  const { t } = useTranslation();
  const status = useServerStatus();
  if (!status) return undefined;
  if (status.isFirelyServerAvailable) return null;
  return {
    key: 'fhir',
    look: 'bad',
    title: t('attention.fhirDown'),
    text: t('attention.fhirDownText'),
    link: t('attention.fhirDownLink'),
    to: '/admin/activity?outcome=failed&period=day',
  };
}

const namesShown = 3;

function useSecrets(state: Exclude<SecretFilter, 'unused'>): Found {
  const { t } = useTranslation();
  // Not by a timer: this call counts as using the session.
  const { data, isError } = useClientsQuery(
    { secretStates: [state], isEnabled: ['true'], page: 1, pageSize: 5 },
    { refetchOnMountOrArgChange: true, refetchOnFocus: true },
  );
  const to = `/admin/client-management?secretStates=${state}&isEnabled=true`;
  if (!data)
    return isError ? unknown(`secrets-${state}`, t('attention.secretsUnknown'), t('attention.review'), to) : undefined;
  if (data.totalCount === 0) return null;
  const names = data.clients.slice(0, namesShown).map(({ clientName, clientId }) => clientName || clientId);
  return {
    key: state,
    look: state === 'idle' ? 'notice' : 'warning',
    title: t(`attention.${state}`, { count: data.totalCount }),
    text: shownOf(names, data.totalCount),
    link: t(state === 'idle' ? 'attention.review' : 'attention.secretsLink'),
    to,
  };
}

/** The first names of so many. */
function shownOf(names: readonly string[], total: number): string {
  const list = plainList(names.map((name) => isolateName(name)));
  return total > names.length ? t('attention.firstOf', { names: list }) : list;
}

/** Rotations of secrets that wait to be finished; the link leads to the oldest. */
function useRotations(): Found {
  const { t } = useTranslation();
  const { data, isError } = useSecretRotationsQuery(undefined, {
    refetchOnMountOrArgChange: true,
    refetchOnFocus: true,
  });
  const list = '/admin/client-management';
  if (!data)
    return isError ? unknown('rotations', t('attention.secretsUnknown'), t('attention.review'), list) : undefined;
  const { rotations, hasMore } = data;
  const [first] = rotations;
  if (!first) return null;
  return {
    key: 'rotations',
    look: 'notice',
    title: t(hasMore ? 'secretRotation.attentionMore' : 'secretRotation.attention', { count: rotations.length }),
    text: shownOf(
      rotations.slice(0, namesShown).map(({ name }) => name),
      rotations.length,
    ),
    link: t('attention.rotationLink'),
    to: `${list}?client=${encodeURIComponent(first.id)}`,
  };
}

/** Requests of users that wait longer than the users were told. */
function useLateRequests(): Found {
  const { t } = useTranslation();
  const { familyPages } = useSettings();
  const { data, isError } = useRequestCountQuery(undefined, { ...polled, skip: !familyPages });
  const to = '/admin/requests';
  if (!familyPages) return null;
  if (!data)
    return isError ? unknown('requests', t('attention.requestsUnknown'), t('attention.review'), to) : undefined;
  if (data.late === 0) return null;
  return {
    key: 'requests',
    look: 'warning',
    title: t('attention.lateRequests', { count: data.late }),
    text: t('attention.lateRequestsText'),
    link: t('attention.review'),
    to,
  };
}

/** Enough to tell the commonest cause. */
const causesOf = 100;

function useRefusals(): Found {
  const { t } = useTranslation();
  const now = new Date();
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const { data, isError } = useLaunchesQuery(
    { outcome: ['refused', 'failed'], from: midnight.toISOString(), page: 1, pageSize: causesOf },
    polled,
  );
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const to = `/admin/activity?outcome=refused&outcome=failed&from=${day}`;
  if (!data)
    return isError ? unknown('refusals', t('attention.refusalsUnknown'), t('attention.review'), to) : undefined;
  if (data.totalCount === 0) return null;
  const [commonest] = commonestOf(data.launches.flatMap(({ decidedBy }) => decidedBy ?? []));
  return {
    key: 'refusals',
    look: 'warning',
    title: t('attention.refused', { count: data.totalCount }),
    text: commonest && t('attention.refusedText', { cause: commonest[0], count: commonest[1] }),
    link: t('attention.refusedLink'),
    to,
  };
}

function commonestOf(causes: string[]): [cause: string, count: number][] {
  const counts = new Map<string, number>();
  for (const cause of causes) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}

function unknown(key: string, title: string, link: string, to: string): Item {
  return { key, look: 'unknown', title, link, to };
}
