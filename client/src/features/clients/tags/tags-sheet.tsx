import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientTag } from '../../../../../src/contract/clients/tags.js';
import { useTagsQuery } from '../../../api/clients/tags.js';
import { useSlow } from '../../../shared/loading/use-slow.js';
import { ManagedBadge } from '../../../shared/ui/marks/managed.js';
import { TagMark } from '../../../shared/ui/marks/tag-mark.js';
import { NotFoundDialog } from '../../../shared/ui/overlays/not-found-dialog.js';
import { Sheet } from '../../../shared/ui/overlays/sheet.js';
import { useDelayedClose } from '../../../shared/ui/overlays/use-delayed-close.js';
import { LoadFailed } from '../../../shared/ui/placeholders/load-failed.js';
import { Skeleton } from '../../../shared/ui/placeholders/skeleton.js';
import { DeleteTagDialog } from './delete-tag-dialog.js';
import { forgetTags, keptTag, TagForm } from './tag-form.js';
import styles from './tags.module.css';
import '../../../shared/ui/marks/words/en.js';
import './words/en.js';

const newTag = 'new';

/** The tags that clients can have: made, renamed, coloured and deleted, one at a time. */
export function TagsSheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Sheet
      open={open}
      caption={t('tags.caption')}
      title={t('tags.title')}
      onClose={() => {
        forgetTags();
        onClose();
      }}
    >
      <p className={styles.lead}>{t('tags.lead')}</p>
      {open && <Tags />}
    </Sheet>
  );
}

function Tags() {
  const { t } = useTranslation();
  const { data: tags, isError, isFetching, refetch } = useTagsQuery(undefined, { refetchOnMountOrArgChange: true });
  const slow = useSlow(isFetching && !tags);
  const [editing, setEditing] = useState(keptTag);
  const [deleting, setDeleting] = useState<ClientTag | null>(null);
  const question = useDelayedClose(deleting);
  const [gone, setGone] = useState<string | null>(null);
  const opener = useOpener(editing);
  const [deleted, setDeleted] = useState<string | null>(null);
  const asking = question.lingering !== null;
  const { focus } = opener;
  // The pressed button disappears with its tag: after the question has closed and the list has been reloaded, in
  // either order.
  useEffect(() => {
    if (deleted === null || asking || !tags || tags.some(({ id }) => id === deleted)) return;
    setDeleted(null);
    focus(newTag);
  }, [deleted, asking, tags, focus]);

  if (isError && !isFetching && !tags) return <LoadFailed onRetry={refetch} />;
  if (!tags) return slow && <Skeletons />;

  const form = (tag?: ClientTag): ReactNode => (
    <TagForm
      key={tag?.id ?? newTag}
      {...(tag && { tag })}
      onClose={() => setEditing(null)}
      onGone={() => setGone(tag?.value ?? '')}
    />
  );
  return (
    <div ref={opener.within}>
      {tags.length === 0 && editing !== newTag && <p className={styles.empty}>{t('tags.empty')}</p>}
      <ul className={styles.tags} aria-label={t('tags.title')}>
        {tags.map((tag) => (
          <li key={tag.id}>
            {editing === tag.id && !tag.managed ? (
              form(tag)
            ) : (
              <div className={styles.tag}>
                <TagMark color={tag.color} />
                <span className={styles.value}>{tag.value}</span>
                {tag.managed && <ManagedBadge />}
                <Button
                  type="text"
                  size="small"
                  data-opens={tag.id}
                  icon={<EditOutlined aria-hidden />}
                  aria-label={t('tags.edit', { value: tag.value })}
                  disabled={tag.managed ?? false}
                  onClick={() => setEditing(tag.id)}
                />
                <Button
                  type="text"
                  size="small"
                  icon={<DeleteOutlined aria-hidden />}
                  aria-label={t('tags.deleteOne', { value: tag.value })}
                  disabled={tag.managed ?? false}
                  onClick={() => setDeleting(tag)}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
      {tags.some(({ managed }) => managed) && <p className={styles.effect}>{t('managed.tags')}</p>}
      {editing === newTag ? (
        form()
      ) : (
        <Button data-opens={newTag} icon={<PlusOutlined aria-hidden />} onClick={() => setEditing(newTag)}>
          {t('tags.add')}
        </Button>
      )}
      {question.lingering && (
        <DeleteTagDialog
          key={question.lingering.id}
          tag={question.lingering}
          open={deleting !== null}
          onClose={() => setDeleting(null)}
          afterClose={question.forget}
          onDeleted={() => setDeleted(question.lingering?.id ?? null)}
          onGone={() => setGone(question.lingering?.value ?? '')}
        />
      )}
      {gone !== null && <NotFoundDialog name={gone} text={t('gone.tag')} />}
    </div>
  );
}

/** Gives the focus back to the button that opened a form which has closed. */
function useOpener(editing: string | null) {
  const within = useRef<HTMLDivElement>(null);
  const before = useRef(editing);
  const focus = useCallback((id: string) => {
    within.current?.querySelector<HTMLElement>(`[data-opens="${id}"]`)?.focus();
  }, []);
  useEffect(() => {
    if (editing === null && before.current !== null) focus(before.current);
    before.current = editing;
  }, [editing, focus]);
  return { within, focus };
}

function Skeletons() {
  const { t } = useTranslation();
  return (
    <div className={styles.tags} role="status" aria-label={t('common.loading')}>
      {[120, 88, 104].map((width) => (
        <div key={width} className={styles.tag}>
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  );
}
