import { CloseOutlined } from '@ant-design/icons';
import { Button, Modal } from 'antd';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { onceOpened } from './once-opened.js';
import styles from './sheet.module.css';
import { useSidePanel } from './use-side-panel.js';

export interface SheetProps {
  open: boolean;
  beside?: boolean | undefined;
  caption: string;
  title: ReactNode;
  /** In its head. */
  actions?: ReactNode;
  children: ReactNode;
  /** Its buttons: what destroys first, at the far left, the primary one last. */
  footer?: ReactNode;
  onClose: () => void;
  afterClose?: () => void;
}

/** Ant Design's modal dialog as a panel: its drawer cannot do without the style element that the policy refuses. */
export function SheetFrame({
  open,
  beside = false,
  caption,
  title,
  actions,
  children,
  footer,
  onClose,
  afterClose,
}: SheetProps) {
  const { t } = useTranslation();
  const isBeside = useSidePanel(beside);
  const close = useRef<HTMLButtonElement>(null);
  const panel = () => close.current?.closest('[role="dialog"]');
  const opener = useRef<Element>(null);
  useEffect(() => {
    if (open) opener.current = document.activeElement;
  }, [open]);
  useEffect(() => {
    // Ant Design says of each that nothing else can be used meanwhile.
    if (open) panel()?.setAttribute('aria-modal', String(!isBeside));
  });
  return (
    <Modal
      open={open}
      width={480}
      className={isBeside ? `${styles.sheet} ${styles.beside}` : styles.sheet}
      classNames={{
        ...(isBeside && { wrapper: styles.place }),
        container: styles.container,
        header: styles.header,
        body: styles.body,
        footer: styles.footer,
      }}
      closable={false}
      scrollLock={false}
      mask={!isBeside}
      focusable={{ trap: !isBeside }}
      {...(isBeside && { zIndex: 10, transitionName: '' })}
      onCancel={onceOpened(() => {
        // Escape in the page beside it is about that page.
        const { activeElement, body } = document;
        if (isBeside && activeElement !== body && !panel()?.contains(activeElement)) return;
        onClose();
      })}
      afterClose={() => {
        // Ant Design does this only for what covered the rest.
        if (isBeside && opener.current instanceof HTMLElement) opener.current.focus();
        afterClose?.();
      }}
      footer={footer ? <div className={styles.actions}>{footer}</div> : null}
      title={
        <>
          <span className={styles.caption}>{caption}</span>
          <span className={styles.title}>{title}</span>
        </>
      }
    >
      <div className={styles.corner}>
        {actions}
        <Button
          ref={close}
          type="text"
          className={styles.close}
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('common.close')}
          onClick={onClose}
        />
      </div>
      {children}
    </Modal>
  );
}
