import { CloseOutlined } from '@ant-design/icons';
import { Modal } from 'antd';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usableNoticeOf } from '../../usable-notices.js';
import styles from './dialog.module.css';
import { onceOpened } from './once-opened.js';
import { useModal } from './use-modal.js';

export interface DialogProps {
  open: boolean;
  title: string;
  children: ReactNode;
  actions?: ReactNode;
  width?: number;
  /** Over the whole window of a phone: for steps with content of their own. */
  whole?: boolean;
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
  whole = false,
  opaque = false,
  initialFocus,
  onClose,
  afterClose,
}: DialogProps) {
  const { t } = useTranslation();
  const body = useRef<HTMLDivElement>(null);
  const [isOpened, setOpened] = useState(false);
  useModal(body, { open, modal: true });
  useOpener(open);
  useFirstField(body, isOpened && !initialFocus && !actions);
  return (
    <Modal
      open={open}
      centered
      width={width}
      className={[styles.dialog, !actions && styles.form, whole && styles.whole, opaque && 'covering']
        .filter(Boolean)
        .join(' ')}
      classNames={{
        container: styles.container,
        header: styles.header,
        body: styles.body,
        footer: styles.footer,
        ...(opaque && { mask: styles.opaque }),
      }}
      closable={
        (actions && !whole) || !onClose
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
        setOpened(opened);
        if (opened && !hasMovedOn(body.current)) initialFocus?.current?.focus();
      }}
      title={title}
      footer={actions ? <div className={styles.actions}>{actions}</div> : null}
    >
      <div ref={body}>{children}</div>
    </Modal>
  );
}

/**
 * Gives the focus back when a dialog is removed while it is open: Ant Design does so only for one that closes first.
 */
function useOpener(open: boolean): void {
  const [{ of, opener }, setOpener] = useState(() => ({ of: open, opener: document.activeElement }));
  // While it is rendered for the first time, the dialog does not have the focus yet.
  if (open !== of) setOpener({ of: open, opener: open ? document.activeElement : opener });
  useEffect(
    () => () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
    },
    [opener],
  );
}

/**
 * True if the user has reached a control of the dialog, or a notice next to it, while it was opening: the next key is
 * meant for that one. The focus may be on the first control because Ant Design has caught it there.
 */
function hasMovedOn(body: HTMLElement | null): boolean {
  if (usableNoticeOf(document.activeElement)) return true;
  const [, ...others] = body?.closest('[role="dialog"]')?.querySelectorAll('a, button, input, textarea') ?? [];
  return others.some((control) => control === document.activeElement);
}

/**
 * Focuses the first field as soon as there is one, since a form may wait for its data; not if the user has moved on by
 * then.
 */
function useFirstField(body: RefObject<HTMLElement | null>, wanted: boolean): void {
  useEffect(() => {
    const place = body.current;
    if (!wanted || !place || usableNoticeOf(document.activeElement)) return;
    const before = document.activeElement;
    const focusFirst = (): boolean => {
      const field = place.querySelector<HTMLElement>('input:not([hidden]), textarea');
      if (field && [before, document.body].includes(document.activeElement)) field.focus();
      return field !== null;
    };
    if (focusFirst()) return;
    const added = new MutationObserver(() => focusFirst() && added.disconnect());
    added.observe(place, { childList: true, subtree: true });
    return () => added.disconnect();
  }, [body, wanted]);
}
