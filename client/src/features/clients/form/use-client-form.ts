import { createContext, type FormEvent, useContext, useRef, useState } from 'react';
import type { ClientForm, ClientView } from '../../../../../src/contract/clients.js';
import type { ProblemItem } from '../../../../../src/contract/problem.js';
import {
  applyClientType,
  type ClientField,
  type ClientFormMode,
  type ClientSection,
  clientFields,
  clientSections,
  isLocked,
  isVisible,
} from '../../../../../src/contract/rules/client-fields.js';
import {
  clientFormProblems,
  clientFormWarnings,
  tidyClientForm,
} from '../../../../../src/contract/rules/client-form.js';
import { secretEndProblems } from '../../../../../src/contract/rules/client-secrets.js';
import type { ClientType } from '../../../../../src/contract/rules/client-values.js';
import { answeredProblems, formErrors, isOlderVersion, isToldElsewhere } from '../../../api/form-errors.js';
import { forgetDraft } from '../../../shared/drafts.js';
import { t } from '../../../shared/i18n/i18n.js';
import { translateProblems } from '../../../shared/i18n/messages.js';
import { isSame, type Merge } from '../../../shared/merge.js';
import { notify } from '../../../shared/notices.js';
import { type UnsavedChanges, useUnsavedChanges } from '../../../shared/ui/unsaved-changes.js';
import type { ClientContext } from '../client-context.js';
import { allFields, atTypedRows, draftOf, fieldOf, sectionOf, withoutSecrets } from './client-draft.js';
import { mergeForms } from './client-merge.js';

interface Refused {
  problem: ProblemItem;
  /** The value it was about: the problem is gone as soon as that is. */
  value: unknown;
}

export interface ClientFormState extends UnsavedChanges {
  draft: ClientForm;
  /** It began with what was entered before its page was left. */
  isBroughtBack: boolean;
  discardDraft: () => void;
  mode: ClientFormMode;
  context: ClientContext;
  /** Counts what replaced the draft from outside of its fields. */
  generation: number;
  set: <Field extends ClientField>(field: Field, value: ClientForm[Field]) => void;
  /** As {@link set}, from outside of the field. */
  replace: <Field extends ClientField>(field: Field, value: ClientForm[Field]) => void;
  chooseType: (type: ClientType) => void;
  isLocked: (field: ClientField) => boolean;
  /** The visible fields of a section, in order; empty for a section that is not there. */
  fieldsOf: (section: ClientSection) => ClientField[];
  sections: ClientSection[];
  /** The problem of exactly this field path (`redirectUris.0`), once its section was left or saving was tried. */
  problemAt: (place: string) => string | undefined;
  /** The same for a field as a whole, with all of its rows. */
  problemIn: (field: ClientField) => string | undefined;
  warningsAt: (place: string) => string[];
  errorCount: (section: ClientSection) => number;
  /** From now on says what is wrong in this section. */
  check: (section: ClientSection) => void;
  isChecked: (section: ClientSection) => boolean;
  /** Errors of the last attempt that belong to no field. */
  errors: string[];
  /** The merge with another administrator's saved change. */
  merged: Merge<ClientForm> | null;
  /** Saving replaces what another administrator has saved meanwhile. */
  replaces: boolean;
  /** New shared secrets wait for the question whether they are stored (`spec §4`). */
  asking: boolean;
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
 * The form of a client: one draft, judged as a whole by the rules the server uses. Nothing is complained of in a section
 * before it was left or saving was tried; from then on everything is as soon as it changes.
 */
export function useClientForm({ draft: place, ...options }: Options): ClientFormState {
  const { mode, context, before, start, save, reload, reveal } = options;
  const { environment } = context;
  const [kept, setKept] = useState(place.kept);
  const [base, setBase] = useState(kept?.base ?? before);
  const [draft, setDraft] = useState(kept?.draft ?? start);
  const [generation, setGeneration] = useState(0);
  const [checked, setChecked] = useState<ReadonlySet<ClientSection>>(new Set());
  const [refused, setRefused] = useState<Refused[]>([]);
  const [errors, setErrors] = useState<string[]>([]);
  const [merged, setMerged] = useState<Merge<ClientForm> | null>(null);
  const [asking, setAsking] = useState(false);
  const saving = useRef(false);
  const unsaved = useUnsavedChanges(() => !isSame(draft, base), {
    name: place.name,
    value: (): KeptClientDraft => ({ mode, draft: withoutSecrets(draft), base, version: place.version() }),
  });

  const tidy = tidyClientForm(draft, environment);
  const ends = secretEndProblems(tidy.clientSecrets, base.clientSecrets, new Date());
  const own = atTypedRows(translateProblems([...clientFormProblems(tidy, mode, environment), ...ends]), draft);
  const theirs = refused.flatMap(({ problem, value }) => (isSame(value, valueAt(draft, problem)) ? problem : []));
  const shown = [...own, ...theirs].filter((problem) => {
    const section = sectionOf(problem);
    return section !== undefined && checked.has(section);
  });
  const warnings = atTypedRows(translateProblems(clientFormWarnings(tidy)), draft);
  const fieldsOf = (section: ClientSection) =>
    allFields.filter((field) => {
      if (clientFields[field].section !== section || !isVisible(field, draft, environment)) return false;
      // Without tenants there is only one FHIR base to choose.
      return field !== 'allowedTenants' || context.tenants.length > 0 || draft.allowedTenants.length > 0;
    });

  const refuse = (problems: ProblemItem[]) => {
    setChecked(new Set(clientSections));
    notify('error', t('errors.notSaved'));
    if (problems[0]) reveal(problems[0]);
  };

  const merge = async () => {
    const stored = await reload?.();
    if (!stored) return setErrors([t('conflict.notLoaded')]);
    const result = mergeForms(base, draft, draftOf(stored));
    setMerged(result);
    setBase(draftOf(stored));
    setDraft(result.form);
    setGeneration(generation + 1);
  };

  const send = async () => {
    if (saving.current) return;
    saving.current = true;
    setErrors([]);
    setMerged(null);
    setRefused([]);
    const { error } = await save(tidy).finally(() => {
      saving.current = false;
    });
    if (!error || isToldElsewhere(error)) return;
    if (isOlderVersion(error)) return merge();
    const named = answeredProblems(error).filter((problem) => fieldOf(problem));
    const places = named.flatMap(({ field = '' }) => field);
    setErrors(formErrors(error, places).form);
    const found = atTypedRows(named, draft);
    setRefused(found.map((problem) => ({ problem, value: valueAt(draft, problem) })));
    refuse(found);
  };

  return {
    ...unsaved,
    draft,
    isBroughtBack: kept !== undefined,
    discardDraft: () => {
      forgetDraft(place.name);
      setKept(undefined);
      setDraft(base);
      setRefused([]);
      setGeneration(generation + 1);
    },
    mode,
    context,
    generation,
    set: (field, value) => setDraft((current) => ({ ...current, [field]: value })),
    replace: (field, value) => {
      setDraft((current) => ({ ...current, [field]: value }));
      setGeneration(generation + 1);
    },
    chooseType: (type) => {
      setDraft((current) => applyClientType(current, type));
      setGeneration(generation + 1);
    },
    isLocked: (field) => isLocked(field, draft, mode, environment),
    fieldsOf,
    sections: clientSections.filter((section) => fieldsOf(section).length > 0),
    problemAt: (place) => shown.find(({ field }) => field === place)?.messages[0],
    problemIn: (field) => shown.find((problem) => fieldOf(problem) === field)?.messages[0],
    warningsAt: (place) => warnings.filter(({ field }) => field === place).flatMap(({ messages }) => messages),
    errorCount: (section) => shown.filter((problem) => sectionOf(problem) === section).length,
    check: (section) => setChecked((current) => new Set([...current, section])),
    isChecked: (section) => checked.has(section),
    errors,
    merged,
    replaces: merged?.kept.some((field) => !isSame(draft[field], merged.stored[field])) ?? false,
    asking,
    submit: (event) => {
      event?.preventDefault();
      if (own.length > 0) refuse(own);
      else if (tidy.clientSecrets.some(({ id, secretType }) => !id && secretType === 'SharedSecret')) setAsking(true);
      else send();
    },
    proceed: () => {
      setAsking(false);
      send();
    },
    goBack: () => setAsking(false),
  };
}

/** The value at the field path of a problem; for a list, the whole list, because its rows move. */
function valueAt(draft: ClientForm, problem: ProblemItem): unknown {
  const field = fieldOf(problem);
  return field && draft[field];
}
