import { DeleteOutlined, EditOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UserView } from '../../../../src/contract/users.js';
import { isGone } from '../../api/form-errors.js';
import { useChangeUserMutation, useDeleteUserMutation, useUserQuery } from '../../api/users.js';
import { notify } from '../../shared/notices.js';
import { Bone } from '../../shared/ui/bones.js';
import { Dialog } from '../../shared/ui/dialog.js';
import { LoadFailed } from '../../shared/ui/load-failed.js';
import { Monogram } from '../../shared/ui/monogram.js';
import { Sheet } from '../../shared/ui/sheet.js';
import { UserFacts } from './user-facts.js';
import { useUserForm } from './user-form.js';
import styles from './users-page.module.css';

interface UserSheetProps {
  id: string;
  /** As far as it is known before the user is. */
  name: string;
  open: boolean;
  onClose: () => void;
  afterClose: () => void;
  onDeleted: () => void;
  /** Somebody else has deleted the user meanwhile (`spec §8`). */
  onGone: (name: string) => void;
}

const formId = 'edit-user';

/** How the form in the sheet is left. */
type Leaving = Pick<ReturnType<typeof useUserForm>, 'leave' | 'finish'>;
const freely: Leaving = { leave: (go) => go(), finish: (go) => go() };

/** One user: to be looked at, changed or deleted. */
export function UserSheet({ id, name, open, onClose, afterClose, onDeleted, onGone }: UserSheetProps) {
  const { t } = useTranslation();
  const { data: user, error, refetch } = useUserQuery(id);
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const [remove, { isLoading: removing }] = useDeleteUserMutation();
  const [change, { isLoading: saving }] = useChangeUserMutation();
  const leaving = useRef(freely);
  const edit = useRef<HTMLButtonElement>(null);
  const title = user?.fullName ?? name;

  const gone = isGone(error);
  const tellGone = useRef(() => onGone(title));
  tellGone.current = () => leaving.current.finish(() => onGone(title));
  useEffect(() => {
    if (gone) tellGone.current();
  }, [gone]);

  // The button that had the focus has gone with the form.
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus();
    wasEditing.current = editing;
  }, [editing]);

  const deleteUser = async () => {
    const { error: refusal } = await remove(id);
    setAsking(false);
    if (!refusal) {
      notify('success', t('users.deleted'));
      onDeleted();
    } else if (isGone(refusal)) {
      tellGone.current();
    } else {
      notify('error', t('errors.generic'));
    }
  };

  const viewing = user && (
    <>
      <Button
        type="text"
        danger
        className={styles.delete}
        icon={<DeleteOutlined aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {t('users.delete')}
      </Button>
      <Button onClick={onClose}>{t('common.close')}</Button>
      <Button ref={edit} type="primary" icon={<EditOutlined aria-hidden />} onClick={() => setEditing(true)}>
        {t('users.editAction')}
      </Button>
    </>
  );
  const changing = (
    <>
      <Button onClick={() => leaving.current.leave(() => setEditing(false))}>{t('common.cancel')}</Button>
      <Button type="primary" htmlType="submit" form={formId} loading={saving}>
        {t('users.save')}
      </Button>
    </>
  );
  return (
    <Sheet
      open={open}
      caption={t(editing ? 'users.edit' : 'users.info')}
      title={
        <>
          <Monogram name={title} size={48} round />
          <span className={styles.who}>
            <span>{title}</span>
            {user ? <span className={styles.address}>{user.email ?? t('common.noValue')}</span> : <Bone width={180} />}
          </span>
        </>
      }
      footer={editing ? changing : viewing}
      onClose={() => leaving.current.leave(onClose)}
      afterClose={afterClose}
    >
      {user && editing && (
        <EditUser
          user={user}
          leaving={leaving}
          save={async (draft) => {
            const result = await change(draft);
            if (!result.error) {
              notify('success', t('users.changed'));
              setEditing(false);
            } else if (isGone(result.error)) {
              tellGone.current();
            }
            return result;
          }}
        />
      )}
      {user && !editing && <UserFacts user={user} onGone={() => tellGone.current()} onStale={refetch} />}
      {!user && error && !gone && <LoadFailed onRetry={refetch} />}
      <Dialog
        open={asking}
        title={t('users.deleteTitle', { name: title })}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
            <Button type="primary" danger loading={removing} onClick={deleteUser}>
              {t('users.delete')}
            </Button>
          </>
        }
      >
        {t('users.deleteText')}
      </Dialog>
    </Sheet>
  );
}

function EditUser({
  user,
  leaving,
  save,
}: {
  user: UserView;
  leaving: RefObject<Leaving>;
  save: (draft: { id: string } & Pick<UserView, 'fullName' | 'claims'> & { userType: string }) => Promise<{
    error?: unknown;
  }>;
}) {
  const { fields, question, leave, finish } = useUserForm(user, ({ fullName, userType, claims }) =>
    save({ id: user.id, fullName, userType, claims }),
  );
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    leaving.current = { leave, finish };
    return () => {
      leaving.current = freely;
    };
  });
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={place}>
      {fields(formId)}
      {question}
    </div>
  );
}
