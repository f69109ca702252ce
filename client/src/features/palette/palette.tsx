import './words/en.js';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './palette.module.css';
import { PaletteSearch } from './palette-search.js';

/**
 * The search over everything, over the page. The browser's own dialog: it stands above every other one, keeps the
 * focus, and gives it back to the element that had it.
 */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!open) dialog.current?.close();
    else if (!dialog.current?.open) dialog.current?.showModal();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={t('palette.title')}
      aria-modal
      onClick={({ target }) => target === dialog.current && onClose()}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => {
        const { key, ctrlKey, metaKey } = event;
        // The page below hears no key but the one that closes the palette, too.
        if (!((ctrlKey || metaKey) && key.toLowerCase() === 'k')) event.stopPropagation();
        if (key !== 'Escape') return;
        event.preventDefault();
        onClose();
      }}
    >
      {open && <PaletteSearch onClose={onClose} />}
    </dialog>
  );
}
