import './words/en.js';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { CurrentUser } from '../../../../src/contract/session.js';
import { useOpened } from '../../shared/addresses/use-opened.js';
import card from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import styles from './account-settings.module.css';
import { DeleteAccountForm } from './delete-account-form.js';
import { DownloadRow } from './download-row.js';
import { Row } from './row.js';

/**
 * The data kept about the user, and the deletion of the account; the last part of the page, and the last to be loaded.
 */
export function OwnData({ user, onGone }: { user: CurrentUser; onGone: () => void }) {
  const { t } = useTranslation();
  // In the address, so that a user comes back to the dialog from the provider.
  const { opened, show, close } = useOpened('open');
  return (
    <Section title={t('ownData.title')} help={t('ownData.help')}>
      <div className={card.card}>
        <DownloadRow user={user} onGone={onGone} />
        <Row
          titled
          label={t('ownData.delete')}
          value={t('ownData.deleteHelp')}
          action={
            <Button danger className={styles.switch} onClick={() => show('open', 'delete')}>
              {t('ownData.deleteAction')}
            </Button>
          }
        />
      </div>
      <Dialog open={opened('open') === 'delete'} title={t('ownData.deleteTitle')} width={520} onClose={close}>
        <DeleteAccountForm user={user} onGone={onGone} onCancel={close} />
      </Dialog>
    </Section>
  );
}
