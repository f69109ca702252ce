import { insidePath, storageKey } from '../addresses/base-path.js';

/**
 * Drafts of forms survive a lost session and the page of a failed save. They are kept for the tab, in
 * `sessionStorage`, without secrets, and only for the account that typed them.
 */
const store = storageKey('drafts');

/** A form that is open, and what it holds. */
export interface OpenForm {
  /** Tells it apart from every other form: `client:<id>`, `user:new`. */
  name: string;
  isChanged: () => boolean;
  /** To be kept, without secrets. A form without it is kept only as long as its page stays. */
  value?: () => unknown;
}

interface KeptDraft {
  /** The account's id. */
  owner: string;
  form: string;
  /** Path and query of the page with the form, as the router has them. */
  page: string;
  value: unknown;
}

const forms = new Set<OpenForm>();
let owner: string | null = null;
let leaving = false;

export function registerForm(form: OpenForm): () => void {
  forms.add(form);
  return () => forms.delete(form);
}

/** True if unsaved changes would be lost with this page. */
export const hasChangedForm = (): boolean => [...forms].some((form) => form.isChanged());

/** True if the page is being left without asking the user: the drafts are kept, or belong to another user. */
export const isLeavingUnasked = (): boolean => leaving;

/** Leaves the page without the question whether changes are to be discarded. */
export function leaveUnasked<Result>(go: () => Result): Result {
  leaving = true;
  const result = go();
  leaving = false;
  return result;
}

/** The same for a page that is unloaded, which happens later. */
export function unloadUnasked(go: () => void): void {
  leaving = true;
  go();
}

/**
 * Sets the account that the forms belong to from now on; returns true if it has changed. The drafts of another account
 * are removed.
 */
export function belongTo(account: string): boolean {
  if (account === owner) return false;
  owner = account;
  write(read().filter((draft) => draft.owner === account));
  return true;
}

/** The account that the open forms belong to. */
export const draftOwner = (): string | null => owner;

/** Keeps what has been typed in every form that is open and has changed. */
export function keepDrafts(): void {
  if (owner === null) return;
  const page = (insidePath(window.location.pathname) ?? '/') + window.location.search;
  for (const { name, isChanged, value } of forms) {
    if (!value || !isChanged()) continue;
    const others = read().filter(({ form }) => form !== name);
    write([...others, { owner, form: name, page, value: value() }]);
  }
}

/** The draft of this form for the signed-in account. */
export function keptDraft<Value>(form: string): Value | undefined {
  return read().find((draft) => draft.form === form && draft.owner === owner)?.value as Value | undefined;
}

/** The first form that begins with this and was kept. */
export function keptForm(prefix: string): string | undefined {
  return read().find(({ form, owner: whose }) => whose === owner && form.startsWith(prefix))?.form;
}

/** The page of the draft that was kept last; what it holds is shown to its owner alone. */
export const pageOfDraft = (): string | undefined => read().at(-1)?.page;

export function forgetDraft(form: string): void {
  write(read().filter((draft) => draft.form !== form || draft.owner !== owner));
}

export function forgetAllDrafts(): void {
  write([]);
}

function read(): KeptDraft[] {
  try {
    const drafts: unknown = JSON.parse(sessionStorage.getItem(store) ?? '[]');
    return Array.isArray(drafts) ? drafts : [];
  } catch {
    // Storage can be forbidden; then a draft ends with its page.
    return [];
  }
}

function write(drafts: KeptDraft[]): void {
  try {
    if (drafts.length === 0) sessionStorage.removeItem(store);
    else sessionStorage.setItem(store, JSON.stringify(drafts));
  } catch {
    // See above.
  }
}
