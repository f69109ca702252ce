import { DeleteOutlined, EditOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PresenceView } from '../../../../../src/contract/presence.js';
import { isolateName } from '../../i18n/isolate-name.js';
import { notify } from '../../notices.js';
import { LoadFailed } from '../placeholders/load-failed.js';
import { Dialog } from './dialog.js';
import { PresenceLine } from './presence-line.js';
import styles from './record-sheet.module.css';
import { Sheet } from './sheet.js';
import { useSidePanel } from './use-side-panel.js';

/** The place of an opened row in its list, and the events that the list needs from it. */
export interface SheetPlace {
  id: string;
  /** As far as it is known before the row itself is. */
  name: string;
  open: boolean;
  onClose: () => void;
  afterOpen?: () => void;
  afterClose: () => void;
  onDeleted: () => void;
  /** Called when another administrator has deleted it meanwhile (`spec §8`). */
  onGone: (name: string) => void;
}

/** Leaving a form: `leave` asks about unsaved changes, `finish` does not. */
export interface Leaving {
  leave: (go: () => void) => void;
  finish: (go: () => void) => void;
}

export const freely: Leaving = { leave: (go) => go(), finish: (go) => go() };

/** While it is there, a form within the sheet is asked how it is left. */
export function useLeaving(leaving: RefObject<Leaving>, { leave, finish }: Leaving): void {
  useEffect(() => {
    leaving.current = { leave, finish };
    return () => {
      leaving.current = freely;
    };
  });
}

/** While it is there, a form within the sheet says whether saving replaces what another administrator saved first. */
export function useReplacing(replaces: boolean, onReplacing: (replaces: boolean) => void): void {
  useEffect(() => {
    onReplacing(replaces);
    return () => onReplacing(false);
  }, [onReplacing, replaces]);
}

interface RecordSheetProps {
  /** The section of the catalogue with the texts about it. */
  of: 'users' | 'clients';
  place: SheetPlace;
  sidePanel?: boolean;
  wide?: boolean;
  caption: string;
  /** Its name, and all that stands in the head. */
  name: string;
  head: ReactNode;
  /** The others who have it open. */
  presence: PresenceView | undefined;
  state: 'loading' | 'failed' | 'gone' | 'there';
  onRetry: () => void;
  /** The buttons of the form; without them it is looked at. */
  footer: ReactNode;
  /** The way to the form. */
  change: { label: string; disabled?: boolean; onClick: () => void };
  locked?: boolean;
  /** A further button, before that which deletes. */
  more?: ReactNode;
  /** The effects of the deletion, for its question. */
  effects?: ReactNode;
  /** The time in which its deletion can be undone. */
  undoText?: string;
  /** Tells that it was deleted, instead of a notice without undo. */
  onRemoved?: () => void;
  leaving: RefObject<Leaving>;
  /** Shows a failure itself. */
  remove: () => Promise<'done' | 'gone' | 'failed'>;
  children: ReactNode;
}

/** One of many, in a sheet: looked at, changed by the form that the children are then, or deleted after a question. */
export function RecordSheet(props: RecordSheetProps) {
  const { of, place, sidePanel = false, name, state, footer, change, locked = false, leaving, remove } = props;
  const { t } = useTranslation();
  const isSidePanel = useSidePanel(sidePanel);
  const [asking, setAsking] = useState(false);
  const act = useRef<HTMLButtonElement>(null);

  const tellGone = useRef(() => {});
  tellGone.current = () => leaving.current.finish(() => place.onGone(name));
  useEffect(() => {
    if (state === 'gone') tellGone.current();
  }, [state]);

  // The button that had the focus has gone with the form.
  const looking = !footer;
  const wasLooking = useRef(true);
  useEffect(() => {
    if (looking && !wasLooking.current) act.current?.focus();
    wasLooking.current = looking;
  }, [looking]);

  const remover = (
    <Button
      type="text"
      danger
      className={isSidePanel ? undefined : styles.delete}
      icon={<DeleteOutlined aria-hidden />}
      disabled={locked}
      onClick={() => setAsking(true)}
    >
      {t(`${of}.delete`)}
    </Button>
  );
  const changer = (
    <Button
      ref={act}
      type={isSidePanel ? 'text' : 'primary'}
      icon={<EditOutlined aria-hidden />}
      disabled={change.disabled ?? false}
      onClick={change.onClick}
    >
      {change.label}
    </Button>
  );
  const acts = state === 'there' && looking;
  return (
    <Sheet
      open={place.open}
      sidePanel={sidePanel}
      wide={props.wide}
      caption={props.caption}
      title={props.head}
      actions={
        acts &&
        isSidePanel && (
          <>
            {changer}
            {props.more}
            {remover}
          </>
        )
      }
      footer={
        acts && !isSidePanel ? (
          <>
            {remover}
            <Button onClick={place.onClose}>{t('common.close')}</Button>
            {changer}
          </>
        ) : (
          footer
        )
      }
      onClose={() => leaving.current.leave(place.onClose)}
      {...(place.afterOpen && { afterOpen: place.afterOpen })}
      afterClose={place.afterClose}
    >
      <PresenceLine {...props.presence} />
      {state === 'failed' ? <LoadFailed onRetry={props.onRetry} /> : props.children}
      <DeleteDialog
        of={of}
        name={name}
        open={asking}
        remove={remove}
        effects={props.effects}
        {...(props.undoText && { undoText: props.undoText })}
        {...(props.onRemoved && { onRemoved: props.onRemoved })}
        onClose={() => setAsking(false)}
        onDeleted={place.onDeleted}
        onGone={() => tellGone.current()}
      />
    </Sheet>
  );
}

/** Asks before the record is deleted. */
function DeleteDialog({
  of,
  name,
  open,
  remove,
  effects,
  undoText,
  onRemoved,
  onClose,
  onDeleted,
  onGone,
}: Pick<RecordSheetProps, 'of' | 'name' | 'remove' | 'effects' | 'undoText' | 'onRemoved'> & {
  open: boolean;
  onClose: () => void;
  onDeleted: () => void;
  onGone: () => void;
}) {
  const { t } = useTranslation();
  const [removing, setRemoving] = useState(false);
  const deleteIt = async () => {
    setRemoving(true);
    const outcome = await remove();
    setRemoving(false);
    onClose();
    if (outcome === 'gone') onGone();
    if (outcome !== 'done') return;
    if (onRemoved) onRemoved();
    else notify('success', t(`${of}.deleted`));
    onDeleted();
  };
  return (
    <Dialog
      open={open}
      title={t(`${of}.deleteTitle`, { name: isolateName(name) })}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={removing} onClick={deleteIt}>
            {t(`${of}.delete`)}
          </Button>
        </>
      }
    >
      {effects}
      <span>{t(`${of}.deleteText`)}</span> {undoText && <span>{undoText}</span>}
    </Dialog>
  );
}
