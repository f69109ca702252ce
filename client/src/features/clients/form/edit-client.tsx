import { type RefObject, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientForm, ClientView } from '../../../../../src/contract/clients.js';
import { useChangeClientMutation, useLazyClientQuery } from '../../../api/clients.js';
import { isGone } from '../../../api/failures/form-errors.js';
import { useStoredVersion } from '../../../api/stored-version.js';
import { keptDraft } from '../../../shared/drafts/drafts.js';
import { notify } from '../../../shared/notices.js';
import { type Leaving, useLeaving, useReplacing } from '../../../shared/ui/overlays/record-sheet.js';
import type { ClientContext } from '../client-context.js';
import { FormMessages } from './form-messages.js';
import { AllSections, FormFrame, useReveal } from './form-sections.js';
import { clientDraftName, draftOf } from './state/client-draft.js';
import { ClientFormProvider, type KeptClientDraft, useClientForm } from './state/use-client-form.js';

export const editFormId = 'edit-client';

/** A client that is there already, or one that has just been given its type: `start` is what the fields begin with. */
export function EditClient({
  client,
  start,
  field,
  mode,
  context,
  leaving,
  onBusy,
  onReplacing,
  onSaved,
  onGone,
}: {
  client: ClientView;
  start: ClientForm;
  /** Takes the focus at the beginning; by default it is the first one. */
  field?: string;
  mode: 'edit' | 'set-type';
  context: ClientContext;
  leaving: RefObject<Leaving>;
  onBusy: (busy: boolean) => void;
  /** True if saving replaces a version that another administrator has saved meanwhile. */
  onReplacing: (replacing: boolean) => void;
  onSaved: () => void;
  onGone: () => void;
}) {
  const { t } = useTranslation();
  const [change] = useChangeClientMutation();
  const [read] = useLazyClientQuery();
  const name = clientDraftName(client.id);
  const [kept] = useState(() => keptDraft<KeptClientDraft>(name));
  const version = useStoredVersion(client, kept?.version, () => read(client.id), onGone);
  const { place, reveal } = useReveal();
  const state = useClientForm({
    mode,
    context,
    before: draftOf(client),
    start,
    draft: { name, kept, version: version.current },
    reveal,
    save: async (form) => {
      onBusy(true);
      const result = await change({ ...form, id: client.id, version: version.current() });
      onBusy(false);
      if (!result.error) {
        notify('success', t('clients.changed'));
        state.finish(onSaved);
      } else if (isGone(result.error)) {
        onGone();
      }
      return result;
    },
    reload: version.reload,
  });
  useLeaving(leaving, state);
  useReplacing(state.replaces, onReplacing);
  const [first] = useState(field);
  useEffect(() => {
    const wanted = first ? place.current?.querySelector(`[data-place="${CSS.escape(first)}"]`) : undefined;
    const control = wanted?.querySelector<HTMLElement>('input, textarea, button');
    // The form may still be out of sight while its sheet opens.
    control?.scrollIntoView({ block: 'center' });
    (control || place.current?.querySelector<HTMLElement>('button, input'))?.focus();
  }, [place, first]);
  return (
    <ClientFormProvider value={state}>
      <div ref={place}>
        <FormMessages />
        <FormFrame id={editFormId}>
          <AllSections />
        </FormFrame>
      </div>
      {state.question}
    </ClientFormProvider>
  );
}
