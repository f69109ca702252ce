import { ExclamationCircleFilled } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientField } from '../../../../../src/contract/rules/clients/client-fields.js';
import { ago } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { listOf } from '../../../shared/i18n/language.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import styles from './conflict-banner.module.css';
import { authorName } from './fields/author-name.js';
import { Value } from './fields/type-review.js';
import { useEditView } from './state/edit-view.js';
import { useClientFormState } from './state/use-client-form.js';
import '../../../shared/ui/forms/words/en.js';
import './words/en.js';

/** Names of more fields are counted. */
const named = 3;

/**
 * Another administrator saved first: above the form, wherever it is scrolled to. It takes the focus with each new
 * conflict, because the button that had it is disabled until all is decided.
 */
export function ConflictBanner() {
  const { t } = useTranslation();
  const { merged } = useClientFormState();
  const view = useEditView();
  const place = useRef<HTMLDivElement>(null);
  const [comparing, setComparing] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new conflict takes the focus; the effect does not read it
  useEffect(() => place.current?.focus(), [merged]);
  if (!merged) return null;
  const last = view?.history?.changes[0];
  const labels = (fields: readonly ClientField[]) => fields.map((field) => t(`clients.fields.${field}`));
  const sentence = (fields: readonly ClientField[], kind: 'collides' | 'taken') =>
    fields.length > 0 && (
      <>
        {t(fields.length > named ? `clientEdit.${kind}Many` : `clientEdit.${kind}`, {
          count: fields.length,
          fields: listOf(labels(fields)),
        })}{' '}
      </>
    );
  return (
    <div ref={place} className={styles.banner} role="alert" tabIndex={-1}>
      <ExclamationCircleFilled aria-hidden />
      <div className={styles.text}>
        <strong>
          {last
            ? t('clientEdit.savedBy', { name: isolateName(authorName(t, last)), when: ago(last.at) })
            : t('conflict.client')}
        </strong>
        <p>
          {sentence(merged.kept, 'collides')}
          {sentence(merged.taken, 'taken')}
          {merged.kept.length + merged.taken.length === 0 && t('clientEdit.sameChanges')}
        </p>
      </div>
      {merged.kept.length + merged.taken.length > 0 && (
        <Button onClick={() => setComparing(true)}>{t('clientEdit.compare')}</Button>
      )}
      <Comparison open={comparing} onClose={() => setComparing(false)} />
    </div>
  );
}

/** Each field that the other administrator changed: as it was, as they saved it, and as it stands in the form. */
function Comparison({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const { merged, draft } = useClientFormState();
  if (!merged) return null;
  return (
    <Dialog
      open={open}
      title={t('clientEdit.compareTitle')}
      width={880}
      onClose={onClose}
      actions={
        <Button type="primary" onClick={onClose}>
          {t('common.close')}
        </Button>
      }
    >
      {[...merged.kept, ...merged.taken].map((field) => (
        <section key={field} className={styles.field}>
          <h3>{t(`clients.fields.${field}`)}</h3>
          <dl className={styles.sides}>
            {(
              [
                ['before', merged.before],
                ['theirs', merged.stored],
                ['yours', draft],
              ] as const
            ).map(([side, form]) => (
              <div key={side}>
                <dt>{t(`clientEdit.sides.${side}`)}</dt>
                <dd>
                  <Value form={form} field={field} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}
