import { type RefObject, useEffect, useRef, useState } from 'react';

/** A value that turns into a form and back; the focus comes back to the button that opened it. */
export function useEditing(atFirst = false): {
  editing: boolean;
  opener: RefObject<HTMLButtonElement | null>;
  open: () => void;
  close: () => void;
} {
  const [editing, setEditing] = useState(atFirst);
  const opener = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(atFirst);
  useEffect(() => {
    if (wasEditing.current && !editing) opener.current?.focus();
    wasEditing.current = editing;
  }, [editing]);
  return { editing, opener, open: () => setEditing(true), close: () => setEditing(false) };
}
