import { useCallback, useState } from 'react';
import { keptReference } from '../../../shared/browser/last-reference.js';
import { forgetDraft, keepDrafts, keptDraft, registerForm } from '../../../shared/drafts/drafts.js';

interface Choice {
  unticked: string[];
  remember: boolean;
}

interface KeptChoice extends Choice {
  launch: string;
}

const draft = 'consent';

/**
 * The user's choice about this request from before the page was loaded again in this tab: by a reload, a second sign-in
 * or a way back. Another user does not get it, and for another patient for whom the user acts there is none.
 */
export function useKeptChoice(returnUrl: string, patient: string | undefined) {
  const [launch] = useState(() => [launchOf(returnUrl), patient].filter(Boolean).join(' '));
  const [kept] = useState(() => {
    const last = keptDraft<KeptChoice>(draft);
    return last?.launch === launch ? last : undefined;
  });
  const keep = useCallback(
    (choice: Choice) => {
      const value = (): KeptChoice => ({ ...choice, launch });
      // Registered no longer than for this: a lost session leads to the sign-in page at once, not to a question.
      const close = registerForm({ name: draft, isChanged: () => true, value });
      keepDrafts();
      close();
    },
    [launch],
  );
  const forget = useCallback(() => forgetDraft(draft), []);
  return { kept, keep, forget };
}

/** The reference of the launch: after a second sign-in the request has another address. */
function launchOf(returnUrl: string): string {
  const [reference, of] = keptReference();
  return reference !== undefined && of === returnUrl ? reference : returnUrl;
}
