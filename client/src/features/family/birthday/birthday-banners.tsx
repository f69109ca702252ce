import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { OwnRelationship } from '../../../../../src/contract/representation.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { dayText } from '../day.js';
import styles from './birthday.module.css';

/** From 30 days before a birthday that takes or gives something, until the day. */
export function BirthdayBanners({ list }: { list: readonly OwnRelationship[] }) {
  const { t } = useTranslation();
  return list
    .filter(({ changesOn }) => changesOn !== null)
    .map(({ id, name, changesOn }) => (
      <div key={id} className={styles.banner} role="status">
        <span>{t('family.birthdaySoon', { name: isolateName(name), date: dayText(changesOn ?? '') })}</span>
        <Link to={`/user/family/birthdays/${id}`}>{t('family.birthdaySee')}</Link>
      </div>
    ));
}
