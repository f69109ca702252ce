import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { dayText } from '../day.js';
import styles from './birthday.module.css';

const noticeMs = 30 * 86_400_000;

/** From 30 days before a birthday that changes what the user may see, until the day. */
export function BirthdayBanners({ list }: { list: readonly OwnRelationship[] }) {
  const { t } = useTranslation();
  const soon = list.filter(
    ({ status, next }) => status === 'active' && next && Date.parse(`${next.on}T12:00:00`) - Date.now() <= noticeMs,
  );
  return soon.map(({ id, name, next }) => (
    <div key={id} className={styles.banner} role="status">
      <span>{t('family.birthdaySoon', { name: isolateName(name), date: dayText(next?.on ?? '') })}</span>
      <Link to={`/user/family/birthdays/${id}`}>{t('family.birthdaySee')}</Link>
    </div>
  ));
}
