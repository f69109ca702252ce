import '../../shared/fonts/jetbrains-mono.css';
import { CopyOutlined } from '@ant-design/icons';
import { Button, QRCode } from 'antd';
import { useTranslation } from 'react-i18next';
import type { TwoFactorSetup } from '../../../../src/contract/users/two-factor.js';
import { useMedia } from '../../shared/browser/use-media.js';
import { copy } from '../../shared/copy.js';
import { inGroups } from './codes.js';
import styles from './two-factor.module.css';

/** The key for the authenticator app: as a QR code, as text, and on a phone as a link. */
export function SetupKey({ setup }: { setup: TwoFactorSetup }) {
  const { t } = useTranslation();
  // A phone cannot scan its own screen. Elsewhere a link of this kind seldom opens anything.
  const onPhone = useMedia('(max-width: 575.98px), (pointer: coarse)');
  return (
    <div>
      <p className={styles.step}>{t(onPhone ? 'twoFactor.add' : 'twoFactor.scan')}</p>
      {onPhone && (
        <>
          <Button block className={styles.openApp} href={setup.authenticatorUri}>
            {t('twoFactor.openApp')}
          </Button>
          <p className={styles.help}>{t('twoFactor.scanElsewhere')}</p>
        </>
      )}
      <QRCode
        className={styles.qr}
        value={setup.authenticatorUri}
        size={176}
        color="#17222B"
        bgColor="#FFFFFF"
        role="img"
        aria-label={t('twoFactor.qrCode')}
      />
      <p className={styles.help}>{t(onPhone ? 'twoFactor.keyOnPhone' : 'twoFactor.key')}</p>
      <div className={styles.key}>
        <code>{inGroups(setup.sharedKey)}</code>
        <Button
          type="text"
          icon={<CopyOutlined aria-hidden />}
          aria-label={t('twoFactor.copyKey')}
          onClick={() => copy(setup.sharedKey)}
        />
      </div>
    </div>
  );
}
