import { CloseOutlined } from '@ant-design/icons';
import { Button, Modal } from 'antd';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useMedia } from '../../browser/use-media.js';
import { onceOpened } from './once-opened.js';
import styles from './sheet.module.css';
import { useModal } from './use-modal.js';
import { useSidePanel } from './use-side-panel.js';

export interface SheetProps {
  open: boolean;
  sidePanel?: boolean | undefined;
  /** For a form with parts that scroll by themselves: over the whole window if that is not wider than a tablet. */
  wide?: boolean | undefined;
  /** For what is decided next to what it is decided from: 640 pixels. */
  broad?: boolean | undefined;
  caption: string;
  title: ReactNode;
  /** In its head. */
  actions?: ReactNode;
  children: ReactNode;
  /** Its buttons: what destroys first, at the far left, the primary one last. */
  footer?: ReactNode;
  onClose: () => void;
  /** Called when it has taken the focus. */
  afterOpen?: () => void;
  afterClose?: () => void;
}

/** Ant Design's modal dialog as a panel: its drawer cannot do without the style element that the policy refuses. */
export function SheetFrame({
  open,
  sidePanel = false,
  wide = false,
  broad = false,
  caption,
  title,
  actions,
  children,
  footer,
  onClose,
  afterOpen,
  afterClose,
}: SheetProps) {
  const { t } = useTranslation();
  const isSidePanel = useSidePanel(sidePanel);
  const isWhole = useMedia('(max-width: 991.98px)');
  const close = useRef<HTMLButtonElement>(null);
  const panel = () => close.current?.closest('[role="dialog"]');
  const opener = useRef<Element>(null);
  useEffect(() => {
    if (open) opener.current = document.activeElement;
  }, [open]);
  useModal(close, { open, modal: !isSidePanel });
  return (
    <Modal
      open={open}
      width={!wide ? (broad ? 640 : 480) : isWhole ? '100vw' : 840}
      className={[styles.sheet, isSidePanel && styles.sidePanel, wide && styles.wide].filter(Boolean).join(' ')}
      classNames={{
        ...(isSidePanel && { wrapper: [styles.place, broad && styles.broad].filter(Boolean).join(' ') }),
        container: styles.container,
        header: styles.header,
        body: styles.body,
        footer: styles.footer,
      }}
      closable={false}
      scrollLock={false}
      mask={!isSidePanel}
      focusable={{ trap: !isSidePanel }}
      {...(isSidePanel && { zIndex: 10, transitionName: '' })}
      onCancel={onceOpened(() => {
        // Escape in the page next to it is about that page.
        const { activeElement, body } = document;
        if (isSidePanel && activeElement !== body && !panel()?.contains(activeElement)) return;
        onClose();
      })}
      afterOpenChange={(opened) => opened && afterOpen?.()}
      afterClose={() => {
        // Ant Design does this only for what covered the rest.
        if (isSidePanel && opener.current instanceof HTMLElement) opener.current.focus();
        afterClose?.();
      }}
      footer={footer ? <div className={styles.actions}>{footer}</div> : null}
      title={
        <>
          <span className={isSidePanel ? 'visually-hidden' : styles.caption}>{caption}</span>
          <span className={styles.title}>{title}</span>
        </>
      }
    >
      <div className={styles.corner}>
        {/* In one line with the buttons, which take a line of their own where their words are long. */}
        {isSidePanel && (
          <span className={styles.caption} aria-hidden>
            {caption}
          </span>
        )}
        <span className={styles.acts}>{actions}</span>
        <Button
          ref={close}
          type="text"
          className={styles.close}
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('common.close')}
          onClick={onClose}
        />
      </div>
      <div className={styles.content}>{children}</div>
    </Modal>
  );
}
