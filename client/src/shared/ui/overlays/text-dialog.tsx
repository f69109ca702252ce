import { type ReactNode, useRef } from 'react';
import { RichText } from '../text/rich-text.js';
import { Dialog } from './dialog.js';

/** A text of the deployer's to be read, with what can be done about it. */
export function TextDialog({
  open,
  title,
  html,
  actions,
  onClose,
}: {
  open: boolean;
  title: string;
  html: string;
  actions: ReactNode;
  onClose: () => void;
}) {
  const text = useRef<HTMLElement>(null);
  return (
    <Dialog open={open} title={title} width={600} initialFocus={text} onClose={onClose} actions={actions}>
      <RichText html={html} label={title} container={text} />
    </Dialog>
  );
}
