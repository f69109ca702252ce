import '../clients/words/en.js';
import { RightOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router-dom';
import type { Change, Severity } from '../../../../src/contract/activity/cause.js';
import type { LaunchView } from '../../../../src/contract/activity.js';
import { type ClientField, clientFields } from '../../../../src/contract/rules/clients/client-fields.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './launch-page.module.css';
import '../clients/form/words/en.js';

/** The client's panel, or this field of its form. */
export function clientAddress(id: string, field?: string): string {
  return `/admin/client-management?${new URLSearchParams({ client: id, ...(field && { field }) })}`;
}

function fieldOf({ field }: Change): ClientField | undefined {
  return field !== undefined && Object.hasOwn(clientFields, field) ? (field as ClientField) : undefined;
}

/** The owner of the settings that a change is about. */
export type Changed = Pick<LaunchView, 'clientRecordId'> & Partial<Pick<LaunchView, 'person'>>;

/** The panel of the launch's user, if the change is there. */
function userAddress({ page }: Change, { person }: Changed): string | undefined {
  return page === 'user' && person ? `/admin/user-management?${new URLSearchParams({ user: person.id })}` : undefined;
}

/** The environment variable that sets a configuration key (`GATEHOUSE_EHR__CALLERS`). */
function variableOf(key: string): string {
  const parts = key.split('.').map((part) => part.replace(/[A-Z]/g, '_$&').toUpperCase());
  return `GATEHOUSE_${parts.join('__')}`;
}

/** The way to what is to be changed, below an entry that did not decide. */
export function ChangeLink({ change, ...changed }: Changed & { change: Change }) {
  const { t } = useTranslation();
  const { clientRecordId } = changed;
  const field = fieldOf(change);
  const user = userAddress(change, changed);
  if (change.configuration) return <code className={styles.code}>{change.configuration}</code>;
  const [to, label] =
    field && clientRecordId
      ? [clientAddress(clientRecordId, field), t('activity.changeField', { field: t(`clients.fields.${field}`) })]
      : [user, t('activity.openUser')];
  if (to === undefined) return null;
  return (
    <Link className={`${styles.inline} target`} to={to}>
      {label}
    </Link>
  );
}

/** The setting that decided, and the way to it. */
export function WhatToChange({ launch }: { launch: LaunchView }) {
  const { t } = useTranslation();
  return (
    <section className={`${cardStyles.card} ${styles.card} ${styles.change}`} aria-labelledby="change">
      <h2 id="change">{t('activity.change')}</h2>
      <Advice launch={launch} />
    </section>
  );
}

/** The change that the last event asks for. A sentence about a missing event says that the record has none. */
function Advice({ launch: { state, decision, entries, clientRecordId, person } }: { launch: LaunchView }) {
  const { t } = useTranslation();
  if (decision?.severity === 'declined') {
    return (
      <>
        <p className={styles.fine}>{t('activity.personDeclined')}</p>
        <p>{t('activity.personDeclinedText')}</p>
      </>
    );
  }
  if (decision?.code === 'person-gone')
    return <PersonGone entries={entries} clientRecordId={clientRecordId} person={person} />;
  if (!decision) {
    if (state === 'completed') {
      const has = (...those: Severity[]) => entries.some(({ severity }) => those.includes(severity));
      if (has('refused', 'failed')) return <p>{t('activity.passedAfterRefusal')}</p>;
      return <p>{t(has('notice') ? 'activity.passedWithNotes' : 'activity.passed')}</p>;
    }
    if (state === 'open') return <p>{t('activity.notEnded')}</p>;
    const nearest = entries.at(-1);
    return <p>{nearest ? t('activity.unknownCause', { event: nearest.title }) : t('activity.noChange')}</p>;
  }
  const { change, decidedBy } = decision;
  // The access was taken back by a deed, and not by a setting.
  if (!change) {
    return (
      <>
        {decidedBy && <p className={styles.fine}>{decidedBy}</p>}
        <p>{t('activity.noChange')}</p>
      </>
    );
  }
  return (
    <>
      {state !== 'refused' && state !== 'failed' && decidedBy && <p className={styles.fine}>{decidedBy}</p>}
      <p>{change.text}</p>
      <Setting change={change} clientRecordId={clientRecordId} person={person} />
    </>
  );
}

/** The user may have been hindered at the page: the last hindrance is named with its remedy. */
function PersonGone({ entries, ...changed }: Pick<LaunchView, 'entries' | 'clientRecordId' | 'person'>) {
  const { t } = useTranslation();
  const hindrance = entries.findLast(({ stage, severity }) => stage === 'person' && severity === 'notice');
  return (
    <>
      <p className={styles.fine}>{t('activity.personGone')}</p>
      <p>{hindrance ? t('activity.personHindered', { event: hindrance.title }) : t('activity.personGoneText')}</p>
      {hindrance?.change && (
        <>
          <p>{hindrance.change.text}</p>
          <Setting change={hindrance.change} {...changed} />
        </>
      )}
    </>
  );
}

function Setting({ change, ...changed }: Changed & { change: Change }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { clientRecordId } = changed;
  const field = fieldOf(change);
  const user = userAddress(change, changed);
  if (change.configuration) return <ConfigurationKey name={change.configuration} />;
  if (field && clientRecordId) {
    const label = t(`clients.fields.${field}`);
    return (
      <div className={styles.setting}>
        <p className={styles.caption}>{t('activity.setting')}</p>
        <p className={styles.way}>
          {t(`clientForm.sectionTitles.${clientFields[field].section}`)} <RightOutlined aria-hidden /> {label}
        </p>
        <Button type="primary" onClick={() => navigate(clientAddress(clientRecordId, field))}>
          {t('activity.changeField', { field: label })}
        </Button>
      </div>
    );
  }
  if (user === undefined) return null;
  return (
    <div className={styles.setting}>
      <Button type="primary" onClick={() => navigate(user)}>
        {t('activity.openUser')}
      </Button>
    </div>
  );
}

/** Administrators cannot change it here: an operator is told where it is, and one who may see its effect where. */
function ConfigurationKey({ name }: { name: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.setting}>
      <p className={styles.caption}>{t('activity.configurationKey')}</p>
      <p>
        <code className={styles.code}>{name}</code>
      </p>
      <p className={styles.caption}>{t('activity.configurationPlace')}</p>
      <p>
        <code className={styles.code}>{variableOf(name)}</code>
      </p>
      {name.startsWith('representation') && (
        <p>
          <Link className="target" to="/admin/age-rules">
            {t('activity.ageRules')}
          </Link>
        </p>
      )}
    </div>
  );
}
