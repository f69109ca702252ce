import { CloseOutlined } from '@ant-design/icons';
import { Button, Modal } from 'antd';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './sheet.module.css';

/**
 * A panel at the right edge, over the whole screen on a phone. A modal dialog in another place: Ant Design's drawer
 * cannot do without the style element that the Content-Security-Policy refuses.
 */
export function Sheet({
  open,
  caption,
  title,
  children,
  footer,
  onClose,
  afterClose,
}: {
  open: boolean;
  caption: string;
  title: ReactNode;
  children: ReactNode;
  /** Its buttons: what destroys first, at the far left, the primary one last. */
  footer?: ReactNode;
  onClose: () => void;
  afterClose?: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Modal
      open={open}
      width={480}
      className={styles.sheet}
      classNames={{ container: styles.container, header: styles.header, body: styles.body, footer: styles.footer }}
      closable={false}
      scrollLock={false}
      onCancel={onClose}
      afterClose={afterClose}
      footer={footer ? <div className={styles.actions}>{footer}</div> : null}
      title={
        <>
          <span className={styles.caption}>{caption}</span>
          <span className={styles.title}>{title}</span>
        </>
      }
    >
      <Button
        type="text"
        className={styles.close}
        icon={<CloseOutlined aria-hidden />}
        aria-label={t('common.close')}
        onClick={onClose}
      />
      {children}
    </Modal>
  );
}
