import { draftOwner, hasChangedForm, keepDrafts } from '../../shared/drafts/drafts.js';

/** A page with unsaved changes whose session has ended: the page stays, and waits until its user is signed in again. */
let waiting: { owner: string | null; back: Promise<void>; signedIn: () => void } | null = null;
const listeners = new Set<() => void>();

function reportLostSession(): void {
  for (const listener of listeners) listener();
}

export const lostSession = {
  isLost: (): boolean => waiting !== null,
  /** The account that is waited for. */
  owner: (): string | null => waiting?.owner ?? null,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Resolves once the same person is signed in again. */
  waitUntilBack: (): Promise<void> => {
    if (!waiting) {
      keepDrafts();
      let signedIn = () => {};
      const back = new Promise<void>((resolve) => {
        signedIn = resolve;
      });
      waiting = { owner: draftOwner(), back, signedIn };
      reportLostSession();
    }
    return waiting.back;
  },
  /** The same person is signed in again. */
  end: (): void => {
    waiting?.signedIn();
    waiting = null;
    reportLostSession();
  },
};

/** True if the page waits when the session ends now, rather than going to the sign-in page. */
export const isWaitedFor = (): boolean => lostSession.isLost() || hasChangedForm();
