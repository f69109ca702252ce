import { Button, Checkbox } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientView } from '../../../../../src/contract/clients/clients.js';
import { useTagsQuery } from '../../../api/clients/tags.js';
import { numeral } from '../../../shared/i18n/language.js';
import { TagMark } from '../../../shared/ui/marks/tag-mark.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import styles from '../clients-page.module.css';
import '../../../shared/list/bulk/words/en.js';

/** The part of the selected clients that have a tag. */
type Share = 'all' | 'some' | 'none';

interface BulkTagsProps {
  open: boolean;
  count: number;
  /** Null if they are not all known. */
  clients: ClientView[] | null;
  onClose: () => void;
  onConfirm: (added: string[], removed: string[]) => void;
}

/** Adds tags to many clients, and takes others off. */
export function BulkTags(props: BulkTagsProps) {
  const { open, count, onClose } = props;
  const { t } = useTranslation();
  return (
    <Dialog open={open} title={t('bulk.tagsTitle', { count, number: numeral(count) })} onClose={onClose}>
      <TagChoice {...props} />
    </Dialog>
  );
}

function TagChoice({ clients, onClose, onConfirm }: BulkTagsProps) {
  const { t } = useTranslation();
  const { data: tags = [], isSuccess } = useTagsQuery();
  const [changed, setChanged] = useState<ReadonlyMap<string, Share>>(new Map());
  // As they were when the dialog was opened.
  const [before] = useState(clients);

  const shareBefore = (id: string): Share => {
    const having = before?.filter(({ clientTags }) => clientTags.some((tag) => tag.id === id)).length;
    if (having === undefined) return 'some';
    return having === 0 ? 'none' : having === before?.length ? 'all' : 'some';
  };
  const shareOf = (id: string) => changed.get(id) ?? shareBefore(id);
  const next = (id: string): Share => {
    const share = shareOf(id);
    if (share === 'some') return 'all';
    if (share === 'all') return 'none';
    return shareBefore(id) === 'some' ? 'some' : 'all';
  };
  const wanted = (share: Share) =>
    tags.map(({ id }) => id).filter((id) => shareOf(id) === share && shareBefore(id) !== share);
  const [added, removed] = [wanted('all'), wanted('none')];
  return (
    <>
      <p>{tags.length > 0 ? t('bulk.tagsText') : isSuccess && t('bulk.noTags')}</p>
      <div className={styles.bulkTags}>
        {tags.map(({ id, value, color }) => (
          <Checkbox
            key={id}
            checked={shareOf(id) === 'all'}
            indeterminate={shareOf(id) === 'some'}
            onChange={() => setChanged(new Map([...changed, [id, next(id)]]))}
          >
            <span className={styles.tagName}>
              <TagMark color={color} />
              {value}
            </span>
          </Checkbox>
        ))}
      </div>
      <div className={styles.bulkActions}>
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button type="primary" disabled={added.length + removed.length === 0} onClick={() => onConfirm(added, removed)}>
          {t('common.save')}
        </Button>
      </div>
    </>
  );
}
