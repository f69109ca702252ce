import { useState } from 'react';
import type { ConsentRequest } from '../../../../../src/contract/consent.js';
import type { Selection } from '../../../../../src/contract/rules/scopes/scope-choice.js';
import type { Asked } from '../choosing.js';
import { chosenOf, firstSelection, unticked } from './selection.js';
import { useKeptChoice } from './use-kept-choice.js';

/**
 * The user's choice about a request: the ticked rows, and whether it counts the next time. Each change of it is kept.
 */
export function useSelection({ choice }: Asked, request: ConsentRequest, returnUrl: string) {
  const { kept, keep, forget } = useKeptChoice(returnUrl, request.acting && request.patient?.id);
  const [{ selection, remember }, setChoice] = useState(() => ({
    selection: firstSelection(choice, request, kept?.unticked ?? request.leftOutBefore),
    remember: kept?.remember ?? true,
  }));
  const change = (next: { selection: Selection; remember: boolean }) => {
    setChoice(next);
    keep({ unticked: unticked(choice, next.selection), remember: next.remember });
  };
  return {
    selection,
    remember,
    /** The scopes to be sent. */
    scopes: chosenOf(choice, selection),
    select: (next: Selection) => change({ selection: next, remember }),
    setRemember: (next: boolean) => change({ selection, remember: next }),
    forget,
  };
}
