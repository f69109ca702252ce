import { type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ClientForm, ClientView } from '../../../../../src/contract/clients/clients.js';
import type { ClientField } from '../../../../../src/contract/rules/clients/client-fields.js';
import { useChangeClientMutation, useClientHistoryQuery, useLazyClientQuery } from '../../../api/clients/clients.js';
import { isGone } from '../../../api/failures/form-errors.js';
import { useStoredVersion } from '../../../api/stored-version.js';
import { keptDraft } from '../../../shared/drafts/drafts.js';
import { ago } from '../../../shared/i18n/dates.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { type Leaving, useLeaving } from '../../../shared/ui/overlays/record-sheet.js';
import type { ClientContext } from '../client-context.js';
import { ConflictBanner } from './conflict-banner.js';
import styles from './edit-client.module.css';
import { authorName } from './fields/author-name.js';
import { FormMessages } from './form-messages.js';
import { AllSections, FormFrame, useReveal } from './form-sections.js';
import { editFormId, type FormProgress, untouched } from './save-actions.js';
import { SectionRail } from './section-rail.js';
import { clientDraftName, draftOf } from './state/client-draft.js';
import { EditViewProvider, editView, useEditView, useRevealed } from './state/edit-view.js';
import { ClientFormProvider, type KeptClientDraft, useClientForm } from './state/use-client-form.js';
import './words/en.js';
import { controlIn } from './fields/rows-field.js';

/** A client that is there already, or one that has just been given its type: `start` is what the fields begin with. */
export function EditClient({
  client,
  start,
  field,
  mode,
  context,
  onlyDiffering,
  leaving,
  onProgress,
  onSaved,
  onGone,
}: {
  client: ClientView;
  start: ClientForm;
  /** Takes the focus at the beginning; by default it is the first one. */
  field?: string;
  mode: 'edit' | 'set-type';
  context: ClientContext;
  /** Leaves out the settings that are at their default. */
  onlyDiffering: boolean;
  leaving: RefObject<Leaving>;
  onProgress: (progress: FormProgress) => void;
  onSaved: () => void;
  onGone: () => void;
}) {
  const { t } = useTranslation();
  const [change] = useChangeClientMutation();
  const [read] = useLazyClientQuery();
  const { data: history, refetch: reloadHistory } = useClientHistoryQuery(client.id);
  const name = clientDraftName(client.id);
  const [kept] = useState(() => keptDraft<KeptClientDraft>(name));
  const [saving, setSaving] = useState(false);
  const version = useStoredVersion(client, kept?.version, () => read(client.id), onGone);
  const { revealed, show } = useRevealed(field);
  const { place, reveal } = useReveal((_, wanted) => show(wanted));
  const state = useClientForm({
    mode,
    context,
    before: draftOf(client),
    start,
    draft: { name, kept, version: version.current },
    reveal,
    save: async (form) => {
      setSaving(true);
      const result = await change({ ...form, id: client.id, version: version.current() });
      setSaving(false);
      if (!result.error) {
        notify('success', t('clients.changed'));
        state.finish(onSaved);
      } else if (isGone(result.error)) {
        onGone();
      }
      return result;
    },
    reload: async () => {
      const [stored] = await Promise.all([version.reload(), reloadHistory()]);
      return stored;
    },
  });
  useLeaving(leaving, state);
  const view = editView(state, {
    history,
    onlyDiffering,
    revealed,
    showAll: (section, first) => {
      show(section);
      if (first) reveal({ field: first, messages: [] });
    },
  });
  const changes = (Object.keys(state.draft) as ClientField[]).filter(view.isEdited).length;
  const undecided = state.undecided.length;
  useEffect(() => onProgress({ saving, changes, undecided }), [onProgress, saving, changes, undecided]);
  useEffect(() => () => onProgress(untouched), [onProgress]);
  useFirstFocus(place, field);
  return (
    <ClientFormProvider value={state}>
      <EditViewProvider value={view}>
        <div className={styles.editor}>
          <ConflictBanner />
          <div className={styles.columns}>
            <SectionRail content={place} />
            <div ref={place} className={styles.content}>
              <LastChange clientId={client.clientId} />
              <FormMessages />
              <FormFrame id={editFormId}>
                <AllSections />
              </FormFrame>
            </div>
          </div>
        </div>
      </EditViewProvider>
      {state.question}
    </ClientFormProvider>
  );
}

/** Focuses the wanted field, or else the first one. */
function useFirstFocus(place: RefObject<HTMLElement | null>, field: string | undefined): void {
  const [first] = useState(field);
  useEffect(() => {
    const wanted = first ? place.current?.querySelector(`[data-place="${CSS.escape(first)}"]`) : undefined;
    const control = controlIn(wanted);
    // The form may still be out of sight while its sheet opens.
    control?.scrollIntoView({ block: 'center' });
    (control || place.current?.querySelector<HTMLElement>('form button, form input'))?.focus();
  }, [place, first]);
}

function LastChange({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const [last] = useEditView()?.history?.changes ?? [];
  if (!last) return null;
  return (
    <p className={`parts ${styles.last}`}>
      <span>
        {t(last.isCreation ? 'clientEdit.addedBy' : 'clientEdit.changedBy', {
          name: isolateName(authorName(t, last)),
          when: ago(last.at),
        })}
      </span>
      <span>
        <Link className="target" to={`/admin/audit?${new URLSearchParams({ clientId, group: 'changes' })}`}>
          {t('clientEdit.allChanges')}
        </Link>
      </span>
    </p>
  );
}
