import { WarningFilled } from '@ant-design/icons';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientChange } from '../../../../../../src/contract/clients/client-changes.js';
import type { ClientForm } from '../../../../../../src/contract/clients/clients.js';
import { type ClientField, clientFields } from '../../../../../../src/contract/rules/clients/client-fields.js';
import { longDate, longMoment } from '../../../../shared/i18n/dates.js';
import { isolateName } from '../../../../shared/i18n/isolate-name.js';
import { Badge } from '../../../../shared/ui/marks/badge.js';
import { useEditView } from '../state/edit-view.js';
import { useClientFormState } from '../state/use-client-form.js';
import { authorName } from './author-name.js';
import styles from './field-notes.module.css';
import { shortValue } from './short-value.js';
import '../words/en.js';

/** Changes of one field that are listed; the audit record has all. */
const changesListed = 5;

/** A field of the form, not a row of a list in it. */
const isField = (place: string): place is ClientField => Object.hasOwn(clientFields, place);

/** Next to the label: that the field is edited, or whose value it has. */
export function FieldMarks({ place }: { place: string }) {
  const { t } = useTranslation();
  const view = useEditView();
  if (!view || !isField(place)) return null;
  if (view.isTaken(place)) {
    const name = authorName(t, view.lastChange(place));
    return <Badge>{t('clientEdit.from', { name: isolateName(name) })}</Badge>;
  }
  return view.isEdited(place) && <Badge tone="accent">{t('clientEdit.edited')}</Badge>;
}

/** Below the field: a conflict to decide, the default, and what was changed. */
export function FieldNotes({ place }: { place: string }) {
  const view = useEditView();
  if (!view || !isField(place)) return null;
  return (
    <>
      <Decision field={place} />
      <Origin
        field={place}
        change={view.lastChange(place)}
        defaults={view.canReset(place) ? view.defaults : undefined}
      />
    </>
  );
}

/** Both administrators have changed the field. */
function Decision({ field }: { field: ClientField }) {
  const { t } = useTranslation();
  const { undecided, merged, draft, take, keep } = useClientFormState();
  const view = useEditView();
  if (!merged || !undecided.includes(field)) return null;
  const name = isolateName(authorName(t, view?.lastChange(field)));
  const label = t(`clients.fields.${field}`);
  const [theirs, mine] = [merged.stored, draft].map((form) => shortValue(t, field, form[field]));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be read out twice
    <div className={styles.decision} role="group" aria-label={t('clientEdit.decide', { label })}>
      <span>
        <WarningFilled aria-hidden />{' '}
        {theirs === undefined
          ? t('clientEdit.theyChanged', { name })
          : t('clientEdit.theySet', { name, value: theirs })}
      </span>
      <button type="button" className={`target ${styles.act}`} onClick={() => take(field)}>
        {theirs === undefined ? t('clientEdit.takeTheirs') : t('clientEdit.take', { value: theirs })}
      </button>
      <button type="button" className={`target ${styles.act}`} onClick={() => keep(field)}>
        {mine === undefined ? t('clientEdit.keepMine') : t('clientEdit.keep', { value: mine })}
      </button>
    </div>
  );
}

function Origin({
  field,
  change,
  defaults,
}: {
  field: ClientField;
  change: ClientChange | undefined;
  /** Undefined for a field that cannot be reset. */
  defaults: ClientForm | undefined;
}) {
  const { t } = useTranslation();
  const { replace } = useClientFormState();
  const [open, setOpen] = useState(false);
  const list = useId();
  const isChanged = change !== undefined && !change.isCreation;
  if (!defaults && !isChanged) return null;
  const label = t(`clients.fields.${field}`);
  return (
    <div className={styles.origin}>
      {defaults && (
        <span>
          {t('clientEdit.default', { value: shortValue(t, field, defaults[field]) ?? t('clientEdit.none') })}{' '}
          <span aria-hidden="true">·</span>{' '}
          <button
            type="button"
            className={`target ${styles.link}`}
            aria-label={t('clientEdit.resetField', { label })}
            onClick={() => replace(field, defaults[field])}
          >
            {t('clientEdit.reset')}
          </button>
        </span>
      )}
      {isChanged && (
        <>
          {defaults && <span aria-hidden="true">·</span>}
          <button
            type="button"
            className={`target ${styles.link}`}
            aria-expanded={open}
            aria-controls={list}
            onClick={() => setOpen(!open)}
          >
            {t('clientEdit.since', { date: longDate(change.at).date, name: isolateName(authorName(t, change)) })}
          </button>
          <div id={list} className={styles.past} hidden={!open}>
            {open && <Past field={field} />}
          </div>
        </>
      )}
    </div>
  );
}

/** The last changes of a field. */
function Past({ field }: { field: ClientField }) {
  const { t } = useTranslation();
  const changes = useEditView()?.history?.changes ?? [];
  const past = changes.flatMap((change) => {
    const own = change.fields.find((one) => one.field === field);
    return own ? [{ ...change, own }] : [];
  });
  return (
    <ul aria-label={t('clientEdit.changesOf', { label: t(`clients.fields.${field}`) })}>
      {past.slice(0, changesListed).map((change) => {
        const [before, after] = [change.own.before, change.own.after].map((value) => shortValue(t, field, value));
        return (
          <li key={change.entry}>
            {longMoment(change.at)}, {isolateName(authorName(t, change))}:{' '}
            {change.isCreation && after !== undefined
              ? t('clientEdit.added', { after })
              : change.own.isHidden || before === undefined || after === undefined
                ? t('clientEdit.changed')
                : t('clientEdit.becomes', { before, after })}
          </li>
        );
      })}
    </ul>
  );
}
