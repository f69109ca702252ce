import { SearchOutlined } from '@ant-design/icons';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyOverlay } from '../../shared/loading/lazy-overlay.js';
import styles from './admin-navigation.module.css';
import '../../shared/addresses/words/en.js';

const Palette = lazyOverlay(async () => (await import('../../features/palette/palette.js')).Palette, { seldom: true });

const isMac = /^(?:Mac|iP)/.test(navigator.platform);

/**
 * The search over everything, by its button or by Control and K. On a Mac that deletes the rest of a line, and it is
 * Command.
 */
export function PaletteOpener() {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(isMac ? event.metaKey : event.ctrlKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      setOpen((isOpen) => !isOpen);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <>
      <button
        type="button"
        className={styles.menuButton}
        aria-label={t('navigation.search')}
        aria-haspopup="dialog"
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        title={t(isMac ? 'navigation.searchByCommand' : 'navigation.searchByControl')}
        onClick={() => setOpen(true)}
      >
        <SearchOutlined aria-hidden />
      </button>
      <Palette open={open} onClose={() => setOpen(false)} />
    </>
  );
}
