import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router-dom';
import type { ClientForm, ClientView } from '../../../../src/contract/clients/clients.js';
import type { ClientType } from '../../../../src/contract/rules/client-values.js';
import { applyClientType } from '../../../../src/contract/rules/clients/client-fields.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';
import { keptDraft } from '../../shared/drafts/drafts.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { clientDraftName, draftOf } from './form/state/client-draft.js';
import type { KeptClientDraft } from './form/state/use-client-form.js';

/** `spec §4` Client panel modes; choosing a type begins with a review. */
type ClientMode =
  | { is: 'view' }
  /** `field`: the one to begin with. */
  | { is: 'edit' | 'set-type'; start: ClientForm; field?: string }
  | { is: 'review'; type: ClientType | null };

const view: ClientMode = { is: 'view' };

/** A client whose change was not saved opens with it. */
function keptMode(id: string): ClientMode {
  const kept = keptDraft<KeptClientDraft>(clientDraftName(id));
  return kept ? { is: kept.mode === 'set-type' ? 'set-type' : 'edit', start: kept.draft } : view;
}

/** The mode of the panel; a managed client is only viewed. `editable`: a link to a field can open the form. */
export function useClientMode(id: string, client: ClientView | undefined, editable: boolean) {
  const [chosen, setMode] = useState(() => keptMode(id));
  // Also one that came under a file while its change was not saved.
  const isManaged = client?.managed === true;
  const isInvalid = client?.clientType === 'Invalid';
  const mode = isManaged ? view : chosen;
  // A type that is only chosen yet is kept with its page.
  useOpenForm({ name: `client-type:${id}`, isChanged: () => mode.is === 'review' && mode.type !== null });
  useWantedField(client !== undefined && editable, (field) => {
    if (!client || isInvalid || isManaged) return;
    setMode((current) => (current.is === 'view' ? { is: 'edit', start: draftOf(client), field } : current));
  });
  return {
    mode,
    isManaged,
    isInvalid,
    view: () => setMode(view),
    change: (client: ClientView) =>
      setMode(isInvalid ? { is: 'review', type: null } : { is: 'edit', start: draftOf(client) }),
    review: (type: ClientType) => setMode({ is: 'review', type }),
    accept: (client: ClientView, type: ClientType) =>
      setMode({ is: 'set-type', start: applyClientType(draftOf(client), type) }),
  };
}

/**
 * A link to a field of the form opens it once it can be edited. The address then names the client only, so that Back
 * leads to the link.
 */
function useWantedField(ready: boolean, open: (field: string) => void): void {
  const { query, change } = usePageQuery();
  const { key } = useLocation();
  const opened = useRef<string | null>(null);
  const field = query.get('field');
  useEffect(() => {
    // Once for each link: the new address is rendered later than the form, in which the user may have typed by then.
    if (!ready || field === null || opened.current === key) return;
    opened.current = key;
    change(
      (current) => {
        const others = new URLSearchParams(current);
        others.delete('field');
        return others;
      },
      { replace: true },
    );
    open(field);
  });
}
