export interface Notice {
  type: 'success' | 'error';
  text: string;
}

type Listener = (notice: Notice) => void;

let listener: Listener | null = null;

/** Shows a text in the notification bar; callable from outside React, as failed calls do. */
export function notify(type: Notice['type'], text: string): void {
  listener?.({ type, text });
}

/** The mounted notification bar; there is one at a time. */
export function onNotice(next: Listener): () => void {
  listener = next;
  return () => {
    if (listener === next) listener = null;
  };
}
