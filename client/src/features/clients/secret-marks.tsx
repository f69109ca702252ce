import { ClockCircleOutlined, ExclamationCircleFilled } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { ClientSecretView } from '../../../../src/contract/clients/clients.js';
import { type SecretState, secretStates } from '../../../../src/contract/rules/client-values.js';
import { statesOfSecret } from '../../../../src/contract/rules/clients/client-secrets.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import styles from './clients-page.module.css';

type Ending = Pick<ClientSecretView, 'expires' | 'lastUsed'>;

/** Warnings about one secret or key. */
export function SecretMarks({ secret }: { secret: Ending }) {
  const { t } = useTranslation();
  const states = statesOfSecret(secret, new Date());
  return (
    states.length > 0 && (
      <span className={`${styles.tags} ${styles.marks}`}>
        {states.map((state) => (
          <Mark key={state} state={state}>
            {t(`clients.secretStates.${state}`)}
          </Mark>
        ))}
      </span>
    )
  );
}

/** The most urgent of all of them, in a list of clients. */
export function WorstSecretMark({ secrets }: { secrets: readonly Ending[] }) {
  const { t } = useTranslation();
  const now = new Date();
  const states = secrets.flatMap((secret) => statesOfSecret(secret, now));
  const worst = secretStates.find((state) => states.includes(state));
  return worst && <Mark state={worst}>{t(`clients.secretState.${worst}`)}</Mark>;
}

/** The state of a secret or key. */
export function Mark({ state, children }: { state: SecretState; children: string }) {
  if (state === 'unused') return <Badge>{children}</Badge>;
  const isOver = state === 'expired';
  return (
    <Badge
      tone={isOver ? 'bad' : 'warning'}
      icon={isOver ? <ExclamationCircleFilled aria-hidden /> : <ClockCircleOutlined aria-hidden />}
    >
      {children}
    </Badge>
  );
}
