import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../ui/overlays/dialog.js';
import styles from './list-help.module.css';
import './bulk/words/en.js';

/** The keys of a list. */
export function ListHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const keys: [string[], string][] = [
    [['j', 'k'], t('bulk.keys.next')],
    [['Enter'], t('bulk.keys.open')],
    [[t('bulk.keys.space')], t('bulk.keys.toggle')],
    [['Ctrl A'], t('bulk.keys.all')],
    [['.'], t('bulk.keys.actions')],
    [['Esc'], t('bulk.keys.clear')],
    [['Ctrl Z'], t('bulk.keys.undo')],
    [['?'], t('bulk.keys.help')],
  ];
  return (
    <Dialog
      open={open}
      title={t('bulk.keys.title')}
      onClose={onClose}
      actions={
        <Button type="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      <dl className={styles.keys}>
        {keys.map(([names, text]) => (
          <div key={text}>
            <dt>
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
