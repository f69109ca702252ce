import { useTranslation } from 'react-i18next';
import type { AuthorizationPlace, FlowApp } from '../../../../../src/contract/authorization.js';
import { isolateName } from '../../i18n/isolate-name.js';
import styles from './flow-progress.module.css';
import './words/en.js';

/** The number of this page in the authorization; empty for a single page, or the app alone. */
export function FlowProgress({
  place,
  page = 0,
  alone = false,
}: {
  place: Omit<AuthorizationPlace, 'returnHost'> | undefined;
  /** Number of the page within its step, from 0. */
  page?: number;
  /** Name the app in any case. */
  alone?: boolean;
}) {
  const { t } = useTranslation();
  if (!place || (place.total < 2 && !alone)) return null;
  const { clientName: client, step, total } = place;
  return (
    <p className={styles.place}>
      {total < 2 ? isolateName(client) : t('way.step', { step: step + page, total, client: isolateName(client) })}
    </p>
  );
}

/** The way out of a page that has no button for it. */
export function CancelFlow({
  place,
  leaving,
  onLeave,
}: {
  place: Pick<FlowApp, 'clientName'> | undefined;
  leaving: boolean;
  onLeave: () => void;
}) {
  const { t } = useTranslation();
  if (!place) return null;
  return (
    <button type="button" className={styles.out} disabled={leaving} onClick={onLeave}>
      {t('way.out', { client: isolateName(place.clientName) })}
    </button>
  );
}
