import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientGrant, GrantDisclaimer, GrantList } from '../../../../src/contract/own-record/grants.js';
import { failureText, isGone } from '../../api/failures/form-errors.js';
import { useWithdrawDisclaimersMutation } from '../../api/own-record/grants.js';
import { notify } from '../../shared/notices.js';
import { focusPageTitle } from '../../shared/ui/layout/page-title.js';
import { appName } from './app-card.js';

/** Revokes disclaimers, and keeps what turned out to exist no more. `onEnd`: what was revoked exists no more. */
export function useRevocation(listed: GrantList | undefined, onEnd: () => void) {
  const { t } = useTranslation();
  const [withdraw, { isLoading: withdrawing }] = useWithdrawDisclaimersMutation();
  const [gone, setGone] = useState<{ name?: string; text: string } | null>(null);

  // The list is reloaded without the card that had the focus.
  const focusLost = useRef(false);
  useEffect(() => {
    if (listed && focusLost.current) focusPageTitle();
    focusLost.current = false;
  }, [listed]);

  const appIsGone = (grant: ClientGrant) => {
    onEnd();
    setGone({ name: appName(grant), text: t('gone.app') });
  };

  /** Returns the errors for the dialog. */
  const revokeDisclaimers = async (agreed: GrantDisclaimer[]): Promise<string[]> => {
    const disclaimers = agreed.map(({ tenantId, clientId, disclaimerId }) => ({ tenantId, clientId, disclaimerId }));
    const { error } = await withdraw({ disclaimers });
    if (error && !isGone(error)) return failureText(error);
    onEnd();
    if (error) {
      setGone({ text: t('gone.disclaimer') });
    } else {
      notify('success', t('grants.disclaimersRevoked'));
      focusLost.current = true;
    }
    return [];
  };

  return { revokeDisclaimers, withdrawing, appIsGone, gone };
}
