import type { ClientForm } from '../../../../../../src/contract/clients/clients.js';
import type { ProblemItem } from '../../../../../../src/contract/problem.js';
import type { ClientType } from '../../../../../../src/contract/rules/client-values.js';
import {
  applyClientType,
  type ClientField,
  type ClientSection,
  clientSections,
} from '../../../../../../src/contract/rules/clients/client-fields.js';
import { isSame } from '../../../../shared/drafts/merge.js';
import { beginDraft, discarded, type RecordDraft, rebased, sent } from '../../../../shared/drafts/record-draft.js';
import { fieldOf } from './client-draft.js';
import { mergeForms } from './client-merge.js';

export interface ClientFormValues extends RecordDraft<ClientForm> {
  draft: ClientForm;
  /** Counts the replacements of the draft from outside of its fields. */
  generation: number;
  /** Sections that were left, or all of them once saving was tried: their problems are shown. */
  checked: ReadonlySet<ClientSection>;
  /** Problems that the server found, each with the value that it is about. */
  refused: { problem: ProblemItem; value: unknown }[];
  /** The fields of a conflict for which one of both values was chosen. */
  decided: readonly ClientField[];
  /** New shared secrets wait for the question whether they are stored (`spec §4`). */
  asking: boolean;
}

export type ClientFormAction =
  | { type: 'set'; change: Partial<ClientForm> }
  /** As `set`, from outside of the field. */
  | { type: 'replace'; change: Partial<ClientForm> }
  | { type: 'choose-type'; clientType: ClientType }
  | { type: 'leave-section'; section: ClientSection }
  /** Saving was tried with problems that the rules know. */
  | { type: 'find-problems' }
  | { type: 'ask' }
  | { type: 'go-back' }
  | { type: 'send' }
  | { type: 'refuse'; problems: ProblemItem[]; sent: ClientForm; errors: string[] }
  | { type: 'fail'; error: string }
  | { type: 'conflict'; stored: ClientForm }
  /** The other administrator's value of a field in conflict, or the one in the form. */
  | { type: 'take' | 'keep'; field: ClientField }
  | { type: 'discard' };

export function initialValues(
  before: ClientForm,
  start: ClientForm,
  kept: { base: ClientForm; draft: ClientForm } | undefined,
): ClientFormValues {
  return {
    ...beginDraft(before, kept?.base),
    draft: kept?.draft ?? start,
    generation: 0,
    checked: new Set(),
    refused: [],
    decided: [],
    asking: false,
  };
}

export function clientFormReducer(state: ClientFormValues, action: ClientFormAction): ClientFormValues {
  switch (action.type) {
    case 'set':
      return { ...state, draft: { ...state.draft, ...action.change } };
    case 'replace':
      return withDraft(state, { ...state.draft, ...action.change });
    case 'choose-type':
      return withDraft(state, applyClientType(state.draft, action.clientType));
    case 'leave-section':
      return { ...state, checked: new Set([...state.checked, action.section]) };
    case 'find-problems':
      return { ...state, checked: new Set(clientSections) };
    case 'ask':
      return { ...state, asking: true };
    case 'go-back':
      return { ...state, asking: false };
    case 'send':
      return { ...state, ...sent, asking: false, refused: [] };
    case 'refuse': {
      const refused = action.problems.map((problem) => ({ problem, value: valueAt(action.sent, problem) }));
      return { ...state, refused, errors: action.errors, checked: new Set(clientSections) };
    }
    case 'fail':
      return { ...state, errors: [action.error] };
    case 'conflict': {
      const merged = mergeForms(state.base, state.draft, action.stored);
      return withDraft({ ...state, ...rebased(merged), decided: [] }, merged.form);
    }
    case 'take':
      return state.merged
        ? withDraft(decide(state, action.field), { ...state.draft, [action.field]: state.merged.stored[action.field] })
        : state;
    case 'keep':
      return decide(state, action.field);
    case 'discard':
      return withDraft({ ...state, ...discarded(state.base), refused: [], decided: [] }, state.base);
  }
}

const decide = (state: ClientFormValues, field: ClientField): ClientFormValues => ({
  ...state,
  decided: [...state.decided, field],
});

/** The fields that two administrators have changed differently, as long as neither value was chosen. */
export function undecidedFields({ merged, decided, draft }: ClientFormValues): ClientField[] {
  return merged?.kept.filter((field) => !decided.includes(field) && !isSame(draft[field], merged.stored[field])) ?? [];
}

const withDraft = (state: ClientFormValues, draft: ClientForm): ClientFormValues => ({
  ...state,
  draft,
  generation: state.generation + 1,
});

/** The problems that the server found and that still apply: the value of the field is the one that was sent. */
export function stillRefused({ refused, draft }: ClientFormValues): ProblemItem[] {
  return refused.filter(({ problem, value }) => isSame(value, valueAt(draft, problem))).map(({ problem }) => problem);
}

/** The value at the field path of a problem; for a list, the whole list, because its rows move. */
function valueAt(draft: ClientForm, problem: ProblemItem): unknown {
  const field = fieldOf(problem);
  return field && draft[field];
}
