import { CheckCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { notify } from '../../shared/notices.js';
import card from '../../shared/ui/card.module.css';
import { Section } from '../../shared/ui/section.js';
import { RecoveryCodesDialog } from '../two-factor/recovery-codes-dialog.js';
import styles from './account-settings.module.css';
import { DisableDialog } from './disable-dialog.js';
import { EnableDialog } from './enable-dialog.js';
import { Row } from './row.js';

/** The second factor of somebody who signs in here and not at an external provider. */
export function TwoFactor({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  const [dialog, setDialog] = useState<'enable' | 'disable' | null>(null);
  const [recoveryCodes, setRecoveryCodes] = useState<string[] | null>(null);
  const active = user.is2faEnabled;
  const close = () => setDialog(null);

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
              <span className={styles.active}>
                <CheckCircleFilled aria-hidden /> {t('accountSettings.active')}
              </span>
            )
          }
          value={t(active ? 'accountSettings.activeHelp' : 'accountSettings.inactive')}
          action={
            <Button className={styles.switch} onClick={() => setDialog(active ? 'disable' : 'enable')}>
              {t(active ? 'accountSettings.turnOff' : 'accountSettings.turnOn')}
            </Button>
          }
        />
      </div>
      {dialog === 'enable' && (
        <EnableDialog
          onClose={close}
          onGone={onGone}
          onActivated={(codes) => {
            close();
            if (codes) setRecoveryCodes(codes);
            else enabled();
          }}
        />
      )}
      {recoveryCodes && <RecoveryCodesDialog codes={recoveryCodes} onConfirm={enabled} />}
      {dialog === 'disable' && (
        <DisableDialog
          onClose={close}
          onGone={onGone}
          onDisabled={() => {
            close();
            notify('success', t('accountSettings.twoFactorOff'));
          }}
        />
      )}
    </Section>
  );
}
