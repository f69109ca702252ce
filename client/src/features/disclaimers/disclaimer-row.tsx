import { Checkbox } from 'antd';
import { useTranslation } from 'react-i18next';
import type { Disclaimer } from '../../../../src/contract/disclaimers.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { ShowButton } from '../../shared/ui/text/show-button.js';
import styles from './disclaimers-page.module.css';

/** One disclaimer: what was agreed to before stays so here; it can be taken back among the apps. */
export function DisclaimerRow({
  disclaimer,
  client,
  checked,
  onTick,
  onShow,
}: {
  disclaimer: Disclaimer;
  client: string;
  checked: boolean;
  onTick: (on: boolean) => void;
  onShow: () => void;
}) {
  const { t } = useTranslation();
  const { description, hasAlreadyAgreed, tenantName, clientId } = disclaimer;
  const about = [
    ...(clientId === null ? [] : [t('disclaimers.about', { what: isolateName(client) })]),
    ...(tenantName === null ? [] : [t('disclaimers.about', { what: isolateName(tenantName) })]),
    ...(hasAlreadyAgreed ? [t('disclaimers.before')] : []),
  ];
  return (
    <li className={styles.row}>
      <Checkbox
        className={styles.choice}
        checked={checked}
        disabled={hasAlreadyAgreed}
        onChange={(event) => onTick(event.target.checked)}
      >
        <span className={styles.description}>{description}</span>
        {about.length > 0 && <span className={styles.about}>{about.join(' · ')}</span>}
      </Checkbox>
      <ShowButton what={description} onClick={onShow} />
    </li>
  );
}
