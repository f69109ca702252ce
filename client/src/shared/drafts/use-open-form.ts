import { useEffect, useRef } from 'react';
import { type OpenForm, registerForm } from './drafts.js';

/**
 * As long as the form is open, what is typed in it outlives a lost session and a failed save
 * (`shared/drafts/drafts.ts`).
 */
export function useOpenForm(form: OpenForm): void {
  const latest = useRef(form);
  latest.current = form;
  const { name } = form;
  const isKept = form.value !== undefined;
  useEffect(
    () =>
      registerForm({
        name,
        isChanged: () => latest.current.isChanged(),
        ...(isKept && { value: () => latest.current.value?.() }),
      }),
    [name, isKept],
  );
}
