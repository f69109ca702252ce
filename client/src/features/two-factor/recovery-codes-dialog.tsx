import './words/en.js';
import '../../shared/fonts/jetbrains-mono.css';
import { CopyOutlined, DownloadOutlined } from '@ant-design/icons';
import { Button, Checkbox } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copy } from '../../shared/copy.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { asText } from './codes.js';
import styles from './two-factor.module.css';

/**
 * The recovery codes, shown this once: it closes only when the user says that they are stored. `lead` says what they
 * are for, where that is not the second factor.
 */
export function RecoveryCodesDialog({
  codes,
  lead,
  onConfirm,
}: {
  codes: string[];
  lead?: string;
  onConfirm: () => void;
}) {
  const { t } = useTranslation();
  const [stored, setStored] = useState(false);
  return (
    <Dialog
      open
      title={t('twoFactor.codesTitle')}
      width={560}
      actions={
        <div className={styles.confirm}>
          <Checkbox checked={stored} onChange={(event) => setStored(event.target.checked)}>
            {t('twoFactor.stored')}
          </Checkbox>
          <Button type="primary" disabled={!stored} onClick={onConfirm}>
            {t('twoFactor.confirm')}
          </Button>
        </div>
      }
    >
      <p>{lead ?? t('twoFactor.codesLead')}</p>
      <ol className={styles.codes}>
        {codes.map((code, index) => (
          <li key={code}>
            <span aria-hidden="true">{index + 1}</span>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={styles.buttons}>
        <Button icon={<CopyOutlined aria-hidden />} onClick={() => copy(asText(codes))}>
          {t('twoFactor.copyCodes')}
        </Button>
        <Button icon={<DownloadOutlined aria-hidden />} onClick={() => download(asText(codes))}>
          {t('twoFactor.download')}
        </Button>
      </div>
    </Dialog>
  );
}

function download(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'gatehouse-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(address);
}
