import { Form } from 'antd';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProblemItem } from '../../../../../src/contract/problem.js';
import type { ClientSection } from '../../../../../src/contract/rules/clients/client-fields.js';
import { ClientFieldInput } from './fields/client-field.js';
import { Wrong } from './fields/field.js';
import styles from './form.module.css';
import { sectionOf } from './state/client-draft.js';
import { useClientFormState } from './state/use-client-form.js';

/** The fields of one section. */
export function SectionFields({ section }: { section: ClientSection }) {
  const { fieldsOf, generation } = useClientFormState();
  return fieldsOf(section).map((field) => <ClientFieldInput key={`${field} ${generation}`} field={field} />);
}

/** All sections below each other, those with errors marked. */
export function AllSections() {
  const { t } = useTranslation();
  const { sections } = useClientFormState();
  return sections.map((section) => (
    <section key={section} className={styles.section} aria-labelledby={`section-${section}`}>
      <div className={styles.sectionHead}>
        <h2 id={`section-${section}`}>{t(`clientForm.sectionTitles.${section}`)}</h2>
        <ErrorCount section={section} />
        <p className={styles.help}>{t(`clientForm.sections.${section}`)}</p>
      </div>
      <SectionFields section={section} />
    </section>
  ));
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
export function useReveal(show?: (section: ClientSection) => void) {
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
    found?.querySelector<HTMLElement>('input, textarea, button')?.focus();
  });
  return {
    place,
    reveal: (problem: ProblemItem) => {
      const section = sectionOf(problem);
      if (!section) return;
      wanted.current = problem.field ?? null;
      show?.(section);
    },
  };
}
