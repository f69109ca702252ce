import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientGrant, GrantDisclaimer, GrantList } from '../../../../src/contract/grants.js';
import { reportOutcome } from '../../api/failures/form-errors.js';
import { useRevokeAppMutation, useWithdrawDisclaimersMutation } from '../../api/grants.js';
import { notify } from '../../shared/notices.js';
import { focusPageTitle } from '../../shared/ui/layout/page-title.js';
import { appName } from './app-card.js';

/** Revokes what the user has agreed to. `onEnd`: what was revoked exists no more. */
export function useRevocation(listed: GrantList | undefined, onEnd: () => void) {
  const { t } = useTranslation();
  const [revoke, { isLoading: revoking }] = useRevokeAppMutation();
  const [withdraw, { isLoading: withdrawing }] = useWithdrawDisclaimersMutation();
  const [gone, setGone] = useState<{ name?: string; text: string } | null>(null);

  // The list is reloaded without the card that had the focus.
  const focusLost = useRef(false);
  useEffect(() => {
    if (listed && focusLost.current) focusPageTitle();
    focusLost.current = false;
  }, [listed]);

  const tell = (
    outcome: ReturnType<typeof reportOutcome>,
    success: string,
    missing: { name?: string; text: string },
  ) => {
    if (outcome === 'failed') return;
    onEnd();
    if (outcome === 'gone') return setGone(missing);
    notify('success', success);
    focusLost.current = true;
  };

  const revokeApp = async (grant: ClientGrant) => {
    const outcome = reportOutcome(await revoke({ clientId: grant.clientId }));
    tell(outcome, t('grants.revoked'), { name: appName(grant), text: t('gone.app') });
  };

  const revokeDisclaimers = async (agreed: GrantDisclaimer[]) => {
    const disclaimers = agreed.map(({ tenantId, clientId, disclaimerId }) => ({ tenantId, clientId, disclaimerId }));
    tell(reportOutcome(await withdraw({ disclaimers })), t('grants.disclaimersRevoked'), {
      text: t('gone.disclaimer'),
    });
  };

  return { revokeApp, revokeDisclaimers, revoking, withdrawing, gone };
}
