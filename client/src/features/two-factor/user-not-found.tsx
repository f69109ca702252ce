import { Button, Modal } from 'antd';
import { useTranslation } from 'react-i18next';
import message from '../../shared/ui/placeholders/message-page.module.css';
import styles from './two-factor.module.css';

/** The account went away between password and code (`spec §8`); there is nothing left to go back to. */
export function UserNotFound() {
  const { t } = useTranslation();
  return (
    <Modal
      open
      width="100%"
      className={styles.wholeScreen}
      closable={false}
      keyboard={false}
      mask={{ closable: false }}
      scrollLock={false}
      footer={null}
      title={t('verification.userNotFoundTitle')}
    >
      <div className={message.message}>
        <p>{t('verification.userNotFoundText')}</p>
        <Button type="primary" onClick={() => window.location.reload()}>
          {t('common.refresh')}
        </Button>
      </div>
    </Modal>
  );
}
