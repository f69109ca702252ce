import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type {
  ClientForm,
  ClientSecretForm,
  ClientTagReference,
} from '../../../../../../src/contract/clients/clients.js';
import type { ClientType } from '../../../../../../src/contract/rules/client-values.js';
import { applyClientType, type ClientField } from '../../../../../../src/contract/rules/clients/client-fields.js';
import { typeChange } from '../../../../../../src/contract/rules/clients/derived-forms.js';
import type { Claim } from '../../../../../../src/contract/session.js';
import { longDate } from '../../../../shared/i18n/dates.js';
import styles from '../form.module.css';
import { secretKindOf } from '../state/secret-draft.js';
import '../words/en.js';

/** Shows the settings that choosing this type changes and hides (`spec §2` Set client type). */
export function TypeReview({ form, type }: { form: ClientForm; type: ClientType }) {
  const { t } = useTranslation();
  const { changed, hidden } = typeChange(form, type);
  const after = applyClientType(form, type);
  return (
    <>
      <ReviewList title={t('clientForm.review.changes')} none={t('clientForm.review.noChanges')}>
        {changed.map((field) => (
          <li key={field}>
            <span>{t(`clients.fields.${field}`)}</span>
            <span className={styles.beforeAfter}>
              <Value form={form} field={field} />{' '}
              <span className="onward" aria-hidden="true">
                →
              </span>{' '}
              <span className="visually-hidden">{t('clientForm.review.becomes')}</span>{' '}
              <Value form={after} field={field} />
            </span>
          </li>
        ))}
      </ReviewList>
      <ReviewList title={t('clientForm.review.hidden')} none={t('clientForm.review.nothingHidden')}>
        {hidden.map((field) => (
          <li key={field}>{t(`clients.fields.${field}`)}</li>
        ))}
      </ReviewList>
    </>
  );
}

function ReviewList({ title, none, children }: { title: string; none: string; children: ReactNode[] }) {
  return (
    <section className={styles.review}>
      <h2>{title}</h2>
      {children.length > 0 ? <ul>{children}</ul> : <p className={styles.help}>{none}</p>}
    </section>
  );
}

/** A value in a few words, for a summary. */
export function Value({ form, field }: { form: ClientForm; field: ClientField }) {
  const { t } = useTranslation();
  const value = form[field];
  if (typeof value === 'boolean') return t(value ? 'clients.yes' : 'clients.no');
  if (typeof value === 'string')
    return value === '' ? t('common.noValue') : <span className={styles.code}>{value}</span>;
  if (value.length === 0) return t('common.noValue');
  if (value.every((item) => typeof item === 'string')) return <span className={styles.code}>{value.join(', ')}</span>;
  return value.map((item) => (
    <span key={JSON.stringify(item)} className={styles.entry}>
      <Entry item={item} />
    </span>
  ));
}

function Entry({ item }: { item: Claim | ClientTagReference | ClientSecretForm }) {
  const { t } = useTranslation();
  if ('name' in item) return `${item.name}: ${item.value}`;
  if (!('secretType' in item)) return item.value;
  const { description, expires } = item;
  return [
    t(`clients.secretTypes.${secretKindOf(item)}`),
    description,
    expires && t('clients.secretExpires', { date: longDate(expires).date }),
  ]
    .filter(Boolean)
    .join(', ');
}
