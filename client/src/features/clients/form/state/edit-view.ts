import { createContext, useContext, useState } from 'react';
import type { ClientChange, ClientHistory } from '../../../../../../src/contract/clients/client-changes.js';
import type { ClientForm } from '../../../../../../src/contract/clients/clients.js';
import type { ClientField, ClientSection } from '../../../../../../src/contract/rules/clients/client-fields.js';
import { defaultsOf, differingFields, hasDefault } from '../../../../../../src/contract/rules/clients/derived-forms.js';
import { isSame } from '../../../../shared/drafts/merge.js';
import type { ClientFormState } from './use-client-form.js';

/** The parts of the form of a stored client besides its fields. */
export interface EditView {
  /** The last changes of the client, as far as they are known. */
  history: ClientHistory | undefined;
  /** The values that fields are reset to. */
  defaults: ClientForm;
  isEdited: (field: ClientField) => boolean;
  differs: (field: ClientField) => boolean;
  canReset: (field: ClientField) => boolean;
  /** The field has the value of another administrator, who saved first. */
  isTaken: (field: ClientField) => boolean;
  /** The fields of a section that are shown now. */
  shownIn: (section: ClientSection) => ClientField[];
  /** Shows the fields of a section that are at their default, too, and takes the focus to the first of them. */
  showAll: (section: ClientSection) => void;
  /** The last change of the field. */
  lastChange: (field: ClientField) => ClientChange | undefined;
}

const Context = createContext<EditView | null>(null);
export const EditViewProvider = Context.Provider;

/** Null while a client is added. */
export const useEditView = (): EditView | null => useContext(Context);

/** Fields and sections that stay in sight although they are at their default. */
export function useRevealed(first: string | undefined) {
  const [revealed, setRevealed] = useState<ReadonlySet<string>>(() => new Set(first ? [first] : []));
  return { revealed, show: (what: string) => setRevealed((before) => new Set([...before, what])) };
}

export function editView(
  state: ClientFormState,
  options: {
    history: ClientHistory | undefined;
    onlyDiffering: boolean;
    revealed: ReadonlySet<string>;
    showAll: (section: ClientSection, first: ClientField | undefined) => void;
  },
): EditView {
  const { draft, base, merged, decided, context, fieldsOf, problemIn } = state;
  const { history, onlyDiffering, revealed } = options;
  const isEdited = (field: ClientField) => !isSame(draft[field], base[field]);
  const differing = new Set(differingFields(draft, context.environment));
  const differs = (field: ClientField) => differing.has(field);
  const inConflict = (field: ClientField) => [...(merged?.kept ?? []), ...(merged?.taken ?? [])].includes(field);
  const isShown = (field: ClientField) =>
    !onlyDiffering ||
    differs(field) ||
    isEdited(field) ||
    inConflict(field) ||
    problemIn(field) !== undefined ||
    revealed.has(field);
  const shownIn = (section: ClientSection) =>
    revealed.has(section) ? fieldsOf(section) : fieldsOf(section).filter(isShown);
  return {
    history,
    defaults: defaultsOf(draft.clientType, context.environment),
    isEdited,
    differs,
    canReset: (field) => hasDefault(field) && differs(field) && !state.isLocked(field),
    isTaken: (field) =>
      merged !== null &&
      (merged.taken.includes(field) || decided.includes(field)) &&
      isSame(draft[field], merged.stored[field]),
    shownIn,
    showAll: (section) => {
      const shown = shownIn(section);
      options.showAll(
        section,
        fieldsOf(section).find((field) => !shown.includes(field)),
      );
    },
    lastChange: (field) => history?.changes.find(({ fields }) => fields.some((change) => change.field === field)),
  };
}
