import { createContext, type FormEvent, useContext, useReducer, useRef } from 'react';
import type { ClientForm, ClientView } from '../../../../../../src/contract/clients/clients.js';
import type { ProblemItem } from '../../../../../../src/contract/problem.js';
import type { ClientType, SecurityProfile } from '../../../../../../src/contract/rules/client-values.js';
import {
  type ClientField,
  type ClientFormMode,
  type ClientSection,
  clientFields,
  clientSections,
  isLocked,
  isVisible,
} from '../../../../../../src/contract/rules/clients/client-fields.js';
import {
  clientFormProblems,
  clientFormWarnings,
  tidyClientForm,
} from '../../../../../../src/contract/rules/clients/client-form.js';
import { secretEndProblems } from '../../../../../../src/contract/rules/clients/client-secrets.js';
import { demandedBy } from '../../../../../../src/contract/rules/clients/security-profile.js';
import {
  answeredProblems,
  formErrors,
  hasPageOfItsOwn,
  isOlderVersion,
  isSignedOut,
} from '../../../../api/failures/form-errors.js';
import { forgetDraft } from '../../../../shared/drafts/drafts.js';
import { isSame } from '../../../../shared/drafts/merge.js';
import { t } from '../../../../shared/i18n/i18n.js';
import { translateProblems } from '../../../../shared/i18n/messages.js';
import { notify } from '../../../../shared/notices.js';
import { type UnsavedChanges, useUnsavedChanges } from '../../../../shared/ui/forms/unsaved-changes.js';
import type { ClientContext } from '../../client-context.js';
import { allFields, atTypedRows, draftOf, fieldOf, sectionOf, withoutSecrets } from './client-draft.js';
import {
  type ClientFormValues,
  clientFormReducer,
  initialValues,
  stillRefused,
  undecidedFields,
} from './client-form-reducer.js';
import '../../../../shared/ui/forms/words/en.js';

/** The messages at the fields. */
interface Readings {
  /** The problem of exactly this field path (`redirectUris.0`), once its section was left or saving was tried. */
  problemAt: (place: string) => string | undefined;
  /** The same for a field as a whole, with all of its rows. */
  problemIn: (field: ClientField) => string | undefined;
  warningsAt: (place: string) => string[];
  errorCount: (section: ClientSection) => number;
}

interface Visible {
  /** The visible fields of a section, in order; empty for a section that is not there. */
  fieldsOf: (section: ClientSection) => ClientField[];
  sections: ClientSection[];
}

export interface ClientFormState
  extends UnsavedChanges,
    Readings,
    Visible,
    Pick<
      ClientFormValues,
      'draft' | 'base' | 'isBroughtBack' | 'generation' | 'errors' | 'merged' | 'decided' | 'asking'
    > {
  discardDraft: () => void;
  mode: ClientFormMode;
  context: ClientContext;
  set: <Field extends ClientField>(field: Field, value: ClientForm[Field]) => void;
  /** As {@link set}, from outside of the field, which then has the focus. */
  replace: <Field extends ClientField>(field: Field, value: ClientForm[Field]) => void;
  /** Decides a conflict: the other administrator's value, or that of the form. */
  take: (field: ClientField) => void;
  keep: (field: ClientField) => void;
  /** The fields that wait for such a decision; saving waits with them. */
  undecided: ClientField[];
  chooseType: (type: ClientType) => void;
  /** Also switches on what the profile needs. Leaving it switches nothing off. */
  chooseProfile: (profile: SecurityProfile) => void;
  isLocked: (field: ClientField) => boolean;
  /** From now on says what is wrong in this section. */
  check: (section: ClientSection) => void;
  isChecked: (section: ClientSection) => boolean;
  submit: (event?: FormEvent) => void;
  proceed: () => void;
  goBack: () => void;
}

const Context = createContext<ClientFormState | null>(null);
export const ClientFormProvider = Context.Provider;

export function useClientFormState(): ClientFormState {
  const state = useContext(Context);
  if (!state) throw new Error('There is no client form around this field.');
  return state;
}

/** The draft of a client as it outlives its page, without its secrets. */
export interface KeptClientDraft {
  mode: ClientFormMode;
  draft: ClientForm;
  /** The stored client that the draft began with. */
  base: ClientForm;
  version: number | undefined;
}

interface DraftPlace {
  name: string;
  kept: KeptClientDraft | undefined;
  /** Version of the stored client that the draft began with. */
  version: () => number | undefined;
}

interface Options {
  mode: ClientFormMode;
  context: ClientContext;
  /** The form that leaving is compared with. */
  before: ClientForm;
  /** The initial values of the fields. */
  start: ClientForm;
  /** Gives the error of the call, if it failed. */
  save: (form: ClientForm) => Promise<{ error?: unknown }>;
  /** Reloads the client after a conflict. */
  reload?: () => Promise<ClientView | undefined>;
  draft: DraftPlace;
  /** Brings a field with a problem to where it can be seen. */
  reveal: (problem: ProblemItem) => void;
}

/**
 * The form of a client: one draft, judged as a whole by the rules the server uses. Nothing is complained of in a
 * section before it was left or saving was tried; from then on everything is as soon as it changes.
 */
export function useClientForm({ draft: place, ...options }: Options): ClientFormState {
  const { mode, context, before, start, save, reload, reveal } = options;
  const [state, dispatch] = useReducer(clientFormReducer, undefined, () => initialValues(before, start, place.kept));
  const { draft, base, checked } = state;
  const saving = useRef(false);
  const unsaved = useUnsavedChanges(() => !isSame(draft, base), {
    name: place.name,
    value: (): KeptClientDraft => ({ mode, draft: withoutSecrets(draft), base, version: place.version() }),
  });
  const { tidy, own, warnings } = judged(state, mode, context);
  const shown = [...own, ...stillRefused(state)].filter((problem) => {
    const section = sectionOf(problem);
    return section !== undefined && checked.has(section);
  });

  const undecided = undecidedFields(state);
  const decide = (type: 'take' | 'keep', field: ClientField) => {
    dispatch({ type, field });
    reveal({ field, messages: [] });
  };

  const show = (problems: ProblemItem[]) => {
    notify('error', t('errors.notSaved'));
    if (problems[0]) reveal(problems[0]);
  };

  const send = async () => {
    if (saving.current) return;
    saving.current = true;
    dispatch({ type: 'send' });
    const { error } = await save(tidy).finally(() => {
      saving.current = false;
    });
    if (!error || hasPageOfItsOwn(error)) return;
    if (isOlderVersion(error)) {
      const stored = await reload?.();
      if (stored) dispatch({ type: 'conflict', stored: draftOf(stored) });
      else dispatch({ type: 'fail', error: t('conflict.notLoaded') });
      return;
    }
    if (isSignedOut(error)) return dispatch({ type: 'fail', error: formErrors(error).form.join(' ') });
    const named = answeredProblems(error).filter((problem) => fieldOf(problem));
    const problems = atTypedRows(named, draft);
    const places = named.flatMap(({ field = '' }) => field);
    dispatch({ type: 'refuse', problems, sent: draft, errors: formErrors(error, places).form });
    show(problems);
  };

  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    const [waiting] = undecided;
    if (waiting) {
      reveal({ field: waiting, messages: [] });
    } else if (own.length > 0) {
      dispatch({ type: 'find-problems' });
      show(own);
    } else if (tidy.clientSecrets.some(({ id, secretType }) => !id && secretType === 'SharedSecret')) {
      dispatch({ type: 'ask' });
    } else {
      send();
    }
  };

  return {
    ...state,
    ...unsaved,
    ...readings(shown, warnings),
    ...visible(draft, context),
    mode,
    context,
    discardDraft: () => {
      forgetDraft(place.name);
      dispatch({ type: 'discard' });
    },
    set: (field, value) => dispatch({ type: 'set', change: { [field]: value } }),
    replace: (field, value) => {
      dispatch({ type: 'replace', change: { [field]: value } });
      reveal({ field, messages: [] });
    },
    take: (field) => decide('take', field),
    keep: (field) => decide('keep', field),
    undecided,
    chooseType: (clientType) => dispatch({ type: 'choose-type', clientType }),
    chooseProfile: (profile) => dispatch({ type: 'set', change: { securityProfile: profile, ...demandedBy(profile) } }),
    isLocked: (field) => isLocked(field, draft, mode, context.environment),
    check: (section) => dispatch({ type: 'leave-section', section }),
    isChecked: (section) => checked.has(section),
    submit,
    proceed: send,
    goBack: () => dispatch({ type: 'go-back' }),
  };
}

/** The form as it is saved, with what the rules find in it. */
function judged({ draft, base }: ClientFormValues, mode: ClientFormMode, { environment }: ClientContext) {
  const tidy = tidyClientForm(draft, environment);
  const ends = secretEndProblems(tidy.clientSecrets, base.clientSecrets, new Date());
  const own = atTypedRows(translateProblems([...clientFormProblems(tidy, mode, environment), ...ends]), draft);
  return { tidy, own, warnings: atTypedRows(translateProblems(clientFormWarnings(tidy, environment)), draft) };
}

function readings(shown: ProblemItem[], warnings: ProblemItem[]): Readings {
  return {
    problemAt: (place) => shown.find(({ field }) => field === place)?.messages[0],
    problemIn: (field) => shown.find((problem) => fieldOf(problem) === field)?.messages[0],
    warningsAt: (place) => warnings.filter(({ field }) => field === place).flatMap(({ messages }) => messages),
    errorCount: (section) => shown.filter((problem) => sectionOf(problem) === section).length,
  };
}

function visible(draft: ClientForm, { environment, tenants, tags }: ClientContext): Visible {
  const fieldsOf = (section: ClientSection) =>
    allFields.filter((field) => {
      if (clientFields[field].section !== section || !isVisible(field, draft, environment)) return false;
      if (field === 'clientTags') return tags.length > 0;
      // Without tenants there is only one FHIR base to choose.
      return field !== 'allowedTenants' || tenants.length > 0 || draft.allowedTenants.length > 0;
    });
  return { fieldsOf, sections: clientSections.filter((section) => fieldsOf(section).length > 0) };
}
