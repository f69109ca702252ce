import './words/en.js';
import '../../shared/addresses/words/en.js';
import { BookOutlined, LockOutlined, TeamOutlined } from '@ant-design/icons';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { AgeRules } from '../../../../src/contract/representation/administration.js';
import { useSettings } from '../../api/settings.js';
import { useAgeRulesQuery } from '../../api/users/representation.js';
import { ListEmpty } from '../../shared/list/list-empty.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import nativeField from '../../shared/ui/forms/native-field.module.css';
import { Banner } from '../../shared/ui/layout/banner.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './age-rules.module.css';
import { AgeTable } from './age-table.js';
import { LevelKinds } from './level-kinds.js';
import { Trial } from './trial.js';

/** The access of representatives by basis and age, as it is configured; nothing can be changed here. */
export function AgeRulesPage() {
  const { t } = useTranslation();
  const { familyPages, documentation } = useSettings();
  const isOn = familyPages === true;
  const { data: rules, isError, isFetching, refetch } = useAgeRulesQuery(undefined, { skip: !isOn });
  const slow = useSlow(isFetching && !rules);
  const guide = documentation.product && (
    <NewTabLink href={documentation.product}>
      <BookOutlined aria-hidden /> {t('ageRules.guide')}
    </NewTabLink>
  );
  return (
    <>
      <div className={styles.head}>
        <div>
          <nav className={styles.breadcrumb} aria-label={t('ageRules.position')}>
            <Link className="target" to="/admin/user-management">
              {t('navigation.users')}
            </Link>
          </nav>
          <PageTitle>{t('ageRules.title')}</PageTitle>
          <p className={styles.lead}>{t('ageRules.lead')}</p>
        </div>
        {isOn && guide}
      </div>
      {!isOn && (
        <ListEmpty
          icon={<TeamOutlined aria-hidden />}
          title={t('ageRules.offTitle')}
          text={t('ageRules.offText')}
          action={guide}
        />
      )}
      {isOn && !rules && isError && !isFetching && <LoadFailed onRetry={refetch} />}
      {isOn && !rules && slow && <Skeleton height={320} />}
      {rules && <Rules rules={rules} />}
    </>
  );
}

function Rules({ rules }: { rules: AgeRules }) {
  const { t } = useTranslation();
  const id = useId();
  const [tenant, setTenant] = useState('');
  const own = rules.tenants.find((one) => one.id === tenant);
  const bases = rules.bases.map((basis) => ({
    ...basis,
    ages: own?.tables.find((table) => table.basis === basis.id)?.ages ?? basis.ages,
  }));
  const { timeZone, ownAccountFrom } = own ?? rules;
  return (
    <>
      <Banner icon={<LockOutlined aria-hidden />}>{t('ageRules.fixed', { key: 'representation' })}</Banner>
      {rules.tenants.length > 0 && (
        <div className={styles.tenant}>
          <label htmlFor={id}>{t('ageRules.tenant')}</label>
          <select
            id={id}
            className={`${nativeField.select} ${nativeField.low}`}
            value={tenant}
            onChange={({ target }) => setTenant(target.value)}
          >
            <option value="">{t('ageRules.noTenant')}</option>
            {rules.tenants.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}
              </option>
            ))}
          </select>
        </div>
      )}
      <div className={cardStyles.card}>
        <AgeTable bases={bases} levels={rules.levels} />
      </div>
      <div className={styles.cards}>
        <section className={`${cardStyles.card} ${styles.part}`}>
          <h2>{t('ageRules.leftOut')}</h2>
          <LevelKinds rules={rules} />
        </section>
        <section className={`${cardStyles.card} ${styles.part}`}>
          <h2>{t('ageRules.birthdays')}</h2>
          <dl className={styles.facts}>
            <div>
              <dt>{t('ageRules.midnight')}</dt>
              <dd>{timeZone}</dd>
            </div>
            <div>
              <dt>{t('ageRules.leap')}</dt>
              <dd>{t('ageRules.leapHelp')}</dd>
            </div>
            <div>
              <dt>{t('ageRules.unknownDay')}</dt>
              <dd>{t('ageRules.unknownDayHelp')}</dd>
            </div>
            <div>
              <dt>{t('ageRules.own')}</dt>
              <dd>{t('ageRules.ownHelp', { age: ownAccountFrom })}</dd>
            </div>
          </dl>
        </section>
        <section className={`${cardStyles.card} ${styles.part}`}>
          <h2>{t('ageRules.try')}</h2>
          <Trial key={tenant} rules={rules} tenant={tenant} />
        </section>
      </div>
    </>
  );
}
