import { Form } from 'antd';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProblemItem } from '../../../../../src/contract/problem.js';
import { type ClientSection, clientSections } from '../../../../../src/contract/rules/clients/client-fields.js';
import { ClientFieldInput } from './fields/client-field.js';
import { Wrong } from './fields/field.js';
import notes from './fields/field-notes.module.css';
import styles from './form.module.css';
import { sectionOf } from './state/client-draft.js';
import { useEditView } from './state/edit-view.js';
import { useClientFormState } from './state/use-client-form.js';
import './words/en.js';
import { controlIn } from './fields/rows-field.js';

/** The fields of one section. */
export function SectionFields({ section }: { section: ClientSection }) {
  const { fieldsOf, generation } = useClientFormState();
  const shown = useEditView()?.shownIn(section) ?? fieldsOf(section);
  return shown.map((field) => <ClientFieldInput key={`${field} ${generation}`} field={field} />);
}

const headingId = (section: ClientSection) => `section-${clientSections.indexOf(section)}`;

/** All sections below each other, those with errors marked. */
export function AllSections() {
  const { t } = useTranslation();
  const { sections } = useClientFormState();
  return sections.map((section) => (
    <section key={section} className={styles.section} data-section={section} aria-labelledby={headingId(section)}>
      <div className={styles.sectionHead}>
        <h2 id={headingId(section)} tabIndex={-1}>
          {t(`clientForm.sectionTitles.${section}`)}
        </h2>
        <ErrorCount section={section} />
        <p className={styles.help}>{t(`clientForm.sections.${section}`)}</p>
      </div>
      <SectionFields section={section} />
      <AtDefault section={section} />
    </section>
  ));
}

/** Names the fields that 'only what differs' leaves out of a section. */
function AtDefault({ section }: { section: ClientSection }) {
  const { t } = useTranslation();
  const { fieldsOf } = useClientFormState();
  const view = useEditView();
  const count = view ? fieldsOf(section).length - view.shownIn(section).length : 0;
  if (!view || count === 0) return null;
  return (
    <p className={styles.more}>
      {t('clientEdit.atDefault', { count })}{' '}
      <button
        type="button"
        className={`target ${notes.link}`}
        aria-label={t('clientEdit.showAllOf', { section: t(`clientForm.sectionTitles.${section}`) })}
        onClick={() => view.showAll(section)}
      >
        {t('clientEdit.showAll', { count })}
      </button>
    </p>
  );
}

function ErrorCount({ section }: { section: ClientSection }) {
  const { t } = useTranslation();
  const count = useClientFormState().errorCount(section);
  return count > 0 && <Wrong>{t('clientForm.errors', { count })}</Wrong>;
}

/** Around all fields: what submits them, and the labels above them. */
export function FormFrame({ id, children }: { id: string; children: ReactNode }) {
  const { submit } = useClientFormState();
  return (
    <form id={id} noValidate onSubmit={submit}>
      <Form component={false} layout="vertical">
        {children}
      </Form>
    </form>
  );
}

/** Takes the focus to the field that has a problem, as soon as it can be seen. */
export function useReveal(show?: (section: ClientSection, field: string) => void) {
  const place = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  useEffect(() => {
    if (wanted.current === null) return;
    const [field = '', ...rest] = wanted.current.split('.');
    wanted.current = null;
    // A row of a list, or else the list.
    const places = rest.map((_, index) => [field, ...rest.slice(0, rest.length - index)].join('.'));
    const found = [...places, field]
      .map((name) => place.current?.querySelector(`[data-place="${name}"]`))
      .find((element) => element);
    controlIn(found)?.focus();
  });
  return {
    place,
    reveal: (problem: ProblemItem) => {
      const section = sectionOf(problem);
      if (!section) return;
      wanted.current = problem.field ?? null;
      show?.(section, (problem.field ?? '').split('.', 1)[0] ?? '');
    },
  };
}
