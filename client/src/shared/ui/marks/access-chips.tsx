import { EditOutlined } from '@ant-design/icons';
import { sees } from '../../../../../src/contract/rules/scopes/access-rows.js';
import { verbs } from '../../../../../src/contract/rules/scopes/scope-description.js';
import { scopeText } from '../../scopes/scope-texts.js';
import styles from './access-chips.module.css';

interface Props {
  /** The letters of SMART scopes (`cruds`) that are permitted for resources of the type. */
  actions: string;
  type: string;
  className?: string | undefined;
}

/** The actions that an app may do with a kind of data, in one word each; colour alone never tells them. */
export function AccessChips({ actions, type, className = '' }: Props) {
  const say = scopeText();
  const changing = actions.replace(/[rs]/g, '');
  return (
    <span className={`${styles.chips} ${className}`}>
      {sees(actions) && <span className={styles.chip}>{verbs({ actions: 'rs', type }, say)}</span>}
      {changing !== '' && (
        <span className={`${styles.chip} ${styles.change}`}>
          <EditOutlined aria-hidden />
          {verbs({ actions: changing, type }, say)}
        </span>
      )}
    </span>
  );
}
