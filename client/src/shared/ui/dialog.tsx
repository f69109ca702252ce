import { Modal } from 'antd';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';

/** A short question or message with its buttons, the primary one last (on a phone first, and stacked). */
export function Dialog({
  open,
  title,
  children,
  actions,
  onClose,
}: {
  open: boolean;
  title: string;
  children: ReactNode;
  actions: ReactNode;
  onClose?: () => void;
}) {
  return (
    <Modal
      open={open}
      centered
      width={440}
      className={styles.dialog}
      classNames={{ container: styles.container, header: styles.header, body: styles.body }}
      closable={false}
      keyboard={Boolean(onClose)}
      mask={{ closable: Boolean(onClose) }}
      // Ant Design locks by a style element without a nonce, which the policy refuses; base.css locks instead.
      scrollLock={false}
      onCancel={onClose}
      title={title}
      footer={<div className={styles.actions}>{actions}</div>}
    >
      {children}
    </Modal>
  );
}
