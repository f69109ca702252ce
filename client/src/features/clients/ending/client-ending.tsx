import { PauseCircleOutlined, PlayCircleOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientImpact } from '../../../../../src/contract/clients/client-changes.js';
import type { ClientView } from '../../../../../src/contract/clients/clients.js';
import {
  useClientImpactQuery,
  useRestoreClientMutation,
  useSetClientEnabledMutation,
} from '../../../api/clients/clients.js';
import { isGone, reportOutcome } from '../../../api/failures/form-errors.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import { Skeleton } from '../../../shared/ui/placeholders/skeleton.js';
import { notifyWithUndo } from '../../../shared/undo-notice.js';
import styles from './client-ending.module.css';
import './words/en.js';

const nameOf = ({ clientName, clientId }: ClientView) => isolateName(clientName || clientId);

/** The access that ends with these clients ('3 people, 12 tokens'), and how much they were used lately. */
export function ImpactText({ ids }: { ids: string[] }) {
  const { t } = useTranslation();
  const { data: impact, isError } = useClientImpactQuery(ids, { refetchOnMountOrArgChange: true });
  return (
    <div className={styles.impact} role="status">
      {impact ? (
        <Counted impact={impact} />
      ) : isError ? (
        t('clientEnding.unknown')
      ) : (
        <Skeleton width="70%" height={44} />
      )}
    </div>
  );
}

function Counted({ impact }: { impact: ClientImpact }) {
  const { t } = useTranslation();
  const { people, tokens, hasMoreTokens, isAtLeast, launches, launchesAreAtLeast } = impact;
  const counts = {
    people: t('clientEnding.people', { count: people }),
    tokens: t('clientEnding.tokens', { count: tokens }),
  };
  const ends = people + tokens === 0 ? 'none' : isAtLeast ? 'endsAtLeast' : 'ends';
  return (
    <>
      <p className={styles.ends}>
        {t(`clientEnding.${ends}`, counts)}
        {hasMoreTokens && ` ${t('clientEnding.selfContained')}`}
      </p>
      <p className={styles.used}>
        {t(launchesAreAtLeast ? 'clientEnding.usedAtLeast' : 'clientEnding.used', { count: launches })}
      </p>
    </>
  );
}

/** Disables or enables a client in place; disabling asks, with what it ends. */
export function AvailabilityButton({ client, asText }: { client: ClientView; asText: boolean }) {
  const { t } = useTranslation();
  const [setEnabled, { isLoading }] = useSetClientEnabledMutation();
  const [asking, setAsking] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  const { id, enabled } = client;
  const name = nameOf(client);
  const change = async () => {
    const outcome = reportOutcome(await setEnabled({ id, enabled: !enabled }));
    setAsking(false);
    if (outcome !== 'done') return;
    notifyWithUndo({
      text: t(enabled ? 'clientEnding.disabled' : 'clientEnding.enabled', { name }),
      undo: async () => {
        const { hasKeptAccess } = await setEnabled({ id, enabled }).unwrap();
        return enabled && !hasKeptAccess ? t('clientEnding.enabledLate', { name }) : t('undo.done');
      },
    });
  };
  const Icon = enabled ? PauseCircleOutlined : PlayCircleOutlined;
  return (
    <>
      <Button
        {...(asText && { type: 'text' as const })}
        icon={<Icon aria-hidden />}
        loading={isLoading && !asking}
        onClick={() => (enabled ? setAsking(true) : change())}
      >
        {t(enabled ? 'clientEnding.disable' : 'clientEnding.enable')}
      </Button>
      <Dialog
        open={asking}
        title={t('clientEnding.disableTitle', { name })}
        initialFocus={cancel}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button ref={cancel} onClick={() => setAsking(false)}>
              {t('common.cancel')}
            </Button>
            <Button type="primary" loading={isLoading} onClick={change}>
              {t('clientEnding.disable')}
            </Button>
          </>
        }
      >
        <ImpactText ids={[id]} />
        {t('clientEnding.disableText')}
      </Dialog>
    </>
  );
}

/** Tells that the client was deleted, with the undo. */
export function useDeletionNotice(client: ClientView | undefined): () => void {
  const { t } = useTranslation();
  const [restore] = useRestoreClientMutation();
  return () => {
    if (!client) return;
    notifyWithUndo({
      text: t('clients.deleted'),
      undo: async () => {
        const { error } = await restore(client.id);
        if (error && !isGone(error)) throw error;
        return error ? t('clientEnding.deletedLate', { name: nameOf(client) }) : t('undo.done');
      },
    });
  };
}
