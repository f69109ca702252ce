import { CloseOutlined } from '@ant-design/icons';
import { Modal } from 'antd';
import { type ReactNode, type RefObject, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './dialog.module.css';
import { onceOpened } from './once-opened.js';

export interface DialogProps {
  open: boolean;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  width?: number;
  /** The page behind it cannot be seen. */
  opaque?: boolean;
  /** The element on which Enter does no harm, if that is not the first button. */
  initialFocus?: RefObject<HTMLElement | null>;
  onClose?: () => void;
  afterClose?: () => void;
}

/** Ant Design's modal dialog as ours. */
export function DialogFrame({
  open,
  title,
  children,
  actions,
  width = 440,
  opaque = false,
  initialFocus,
  onClose,
  afterClose,
}: DialogProps) {
  const { t } = useTranslation();
  const body = useRef<HTMLDivElement>(null);
  return (
    <Modal
      open={open}
      centered
      width={width}
      className={[styles.dialog, actions ? '' : styles.form, opaque ? 'covering' : ''].join(' ').trim()}
      classNames={{
        container: styles.container,
        header: styles.header,
        body: styles.body,
        ...(opaque && { mask: styles.opaque }),
      }}
      closable={
        actions || !onClose
          ? false
          : {
              'aria-label': t('common.close'),
              closeIcon: <CloseOutlined className="ant-modal-close-icon" aria-hidden />,
            }
      }
      destroyOnHidden
      keyboard={Boolean(onClose)}
      mask={{ closable: Boolean(onClose) }}
      // Ant Design locks by a style element without a nonce, which the policy refuses; base.css locks instead.
      scrollLock={false}
      onCancel={onceOpened(onClose)}
      afterClose={afterClose}
      // Ant Design takes the focus to the dialog as a whole, also from a field with autoFocus.
      afterOpenChange={(opened) => {
        if (!opened) return;
        if (initialFocus) initialFocus.current?.focus();
        else if (!actions) body.current?.querySelector('input')?.focus();
      }}
      title={title}
      footer={actions ? <div className={styles.actions}>{actions}</div> : null}
    >
      <div ref={body}>{children}</div>
    </Modal>
  );
}
