import { Button } from 'antd';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChangeUserRequest, UserView } from '../../../../src/contract/users/users.js';
import { isGone, reportOutcome } from '../../api/failures/form-errors.js';
import { usePresence } from '../../api/presence.js';
import { useStoredVersion } from '../../api/stored-version.js';
import { useChangeUserMutation, useDeleteUserMutation, useLazyUserQuery, useUserQuery } from '../../api/users/users.js';
import { keptDraft } from '../../shared/drafts/drafts.js';
import { notify } from '../../shared/notices.js';
import { ManagedBadge, ManagedNotice } from '../../shared/ui/marks/managed.js';
import { Monogram } from '../../shared/ui/marks/monogram.js';
import {
  freely,
  type Leaving,
  RecordSheet,
  type SheetPlace,
  useLeaving,
  useReplacing,
} from '../../shared/ui/overlays/record-sheet.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { type KeptUserDraft, userDraftName } from './user-draft.js';
import { UserFacts } from './user-facts.js';
import { useUserForm } from './user-form.js';
import styles from './users-page.module.css';
import '../../shared/ui/forms/words/en.js';

const formId = 'edit-user';

/** One user: to be looked at, changed or deleted. */
export function UserSheet({ place }: { place: SheetPlace }) {
  const { id } = place;
  const { t } = useTranslation();
  const { data: user, error, refetch } = useUserQuery(id);
  // A user whose change was not saved opens with it.
  const [editing, setEditing] = useState(() => keptDraft(userDraftName(id)) !== undefined);
  const [missing, setMissing] = useState(false);
  const [remove] = useDeleteUserMutation();
  const [change, { isLoading: saving }] = useChangeUserMutation();
  const [replacing, setReplacing] = useState(false);
  const { presence, tellSaved } = usePresence({ kind: 'user', id, open: place.open, editing });
  const leaving = useRef(freely);
  const name = user?.fullName ?? place.name;

  const changing = (
    <>
      <Button onClick={() => leaving.current.leave(() => setEditing(false))}>{t('common.cancel')}</Button>
      <Button type="primary" htmlType="submit" form={formId} loading={saving}>
        {t(replacing ? 'conflict.save' : 'users.save')}
      </Button>
    </>
  );
  return (
    <RecordSheet
      of="users"
      place={place}
      caption={t(editing ? 'users.edit' : 'users.info')}
      name={name}
      head={
        <>
          <Monogram name={name} size={48} round />
          <span className={styles.who}>
            <span>
              <bdi>{name}</bdi>
            </span>
            {user ? (
              <>
                <span className={styles.address}>{user.email ?? t('common.noValue')}</span>
                {user.managed && <ManagedBadge />}
              </>
            ) : (
              <Skeleton width={180} />
            )}
          </span>
        </>
      }
      presence={presence}
      state={missing || isGone(error) ? 'gone' : user ? 'there' : error ? 'failed' : 'loading'}
      onRetry={refetch}
      footer={editing && changing}
      change={{ label: t('users.editAction'), onClick: () => setEditing(true) }}
      leaving={leaving}
      remove={async () => reportOutcome(await remove(id))}
    >
      {user?.managed && <ManagedNotice kind="user" name={user.isExternal ? user.id : (user.email ?? user.id)} />}
      {user && editing && (
        <EditUser
          user={user}
          leaving={leaving}
          onReplacing={setReplacing}
          onGone={() => setMissing(true)}
          save={async (draft) => {
            const result = await change(draft);
            if (!result.error) {
              notify('success', t('users.changed'));
              tellSaved();
              leaving.current.finish(() => setEditing(false));
            } else if (isGone(result.error)) {
              setMissing(true);
            }
            return result;
          }}
        />
      )}
      {user && !editing && (
        <UserFacts user={user} onGone={() => setMissing(true)} onStale={refetch} onEdit={() => setEditing(true)} />
      )}
    </RecordSheet>
  );
}

function EditUser({
  user,
  leaving,
  onReplacing,
  onGone,
  save,
}: {
  user: UserView;
  leaving: RefObject<Leaving>;
  /** True if saving replaces a version that was saved meanwhile. */
  onReplacing: (replacing: boolean) => void;
  onGone: () => void;
  save: (change: { id: string } & ChangeUserRequest) => Promise<{ error?: unknown }>;
}) {
  const [read] = useLazyUserQuery();
  const [kept] = useState(() => keptDraft<KeptUserDraft>(userDraftName(user.id)));
  const version = useStoredVersion(user, kept?.version, () => read(user.id), onGone);
  const { fields, replaces, ...form } = useUserForm(
    user,
    ({ fullName, userType, claims }) => save({ id: user.id, fullName, userType, claims, version: version.current() }),
    version,
  );
  useReplacing(replaces, onReplacing);
  const place = useRef<HTMLDivElement>(null);
  useLeaving(leaving, form);
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={place}>
      {fields(formId)}
      {form.question}
    </div>
  );
}
