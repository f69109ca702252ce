import { EditOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import styles from './access-chips.module.css';

interface Props {
  see: boolean;
  change: boolean;
  /** The page whose texts are loaded. */
  of: 'consent' | 'grants';
  className?: string | undefined;
}

/** The actions that an app may do with a kind of data, in one word each; colour alone never tells them. */
export function AccessChips({ see, change, of, className = '' }: Props) {
  const { t } = useTranslation();
  return (
    <span className={`${styles.chips} ${className}`}>
      {see && <span className={styles.chip}>{t(`${of}.see`)}</span>}
      {change && (
        <span className={`${styles.chip} ${styles.change}`}>
          <EditOutlined aria-hidden />
          {t(`${of}.change`)}
        </span>
      )}
    </span>
  );
}
