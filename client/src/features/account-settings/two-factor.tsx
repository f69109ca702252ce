import { CheckCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { RecoveryCodesDialog } from '../two-factor/recovery-codes-dialog.js';
import styles from './account-settings.module.css';
import { DisableForm } from './disable-form.js';
import { EnableForm } from './enable-form.js';
import { Row } from './row.js';

/** The second factor of a user who signs in here and not at an external provider. */
export function TwoFactor({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<'enable' | 'disable' | null>(null);
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const active = user.is2faEnabled;
  const close = () => setDialog(null);

  // The dialog that the button opened was not the one that is closed last.
  const hadCodes = useRef(false);
  useEffect(() => {
    if (hadCodes.current && !recoveryCodes) opener.current?.focus();
    hadCodes.current = recoveryCodes !== null;
  }, [recoveryCodes]);

  const enabled = () => {
    setRecoveryCodes(null);
    notify('success', t('accountSettings.twoFactorOn'));
  };

  return (
    <Section title={t('accountSettings.twoFactor')} help={t('accountSettings.twoFactorHelp')}>
      <div className={card.card}>
        <Row
          titled
          label={t('accountSettings.authenticator')}
          badge={
            active && (
              <Badge tone="good" icon={<CheckCircleFilled aria-hidden />}>
                {t('accountSettings.active')}
              </Badge>
            )
          }
          value={t(active ? 'accountSettings.activeHelp' : 'accountSettings.inactive')}
          action={
            <Button ref={opener} className={styles.switch} onClick={() => setDialog(active ? 'disable' : 'enable')}>
              {t(active ? 'accountSettings.turnOff' : 'accountSettings.turnOn')}
            </Button>
          }
        />
      </div>
      <Dialog open={dialog === 'enable'} title={t('accountSettings.enableTitle')} width={480} onClose={close}>
        <EnableForm
          onGone={onGone}
          onActivated={(codes) => {
            close();
            if (codes) setRecoveryCodes(codes);
            else enabled();
          }}
        />
      </Dialog>
      {recoveryCodes && <RecoveryCodesDialog codes={recoveryCodes} onConfirm={enabled} />}
      <Dialog open={dialog === 'disable'} title={t('accountSettings.disableTitle')} onClose={close}>
        <DisableForm
          onGone={onGone}
          onDisabled={() => {
            close();
            notify('success', t('accountSettings.twoFactorOff'));
          }}
        />
      </Dialog>
    </Section>
  );
}
