import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { ClientTag } from '../../../../../src/contract/clients/tags.js';
import { useClientsWithTagQuery, useDeleteTagMutation } from '../../../api/clients/tags.js';
import { reportOutcome } from '../../../api/failures/form-errors.js';
import { isolateName } from '../../../shared/i18n/isolate-name.js';
import { notify } from '../../../shared/notices.js';
import { Dialog } from '../../../shared/ui/overlays/dialog.js';
import './words/en.js';

/** Asks before a tag is deleted, and says which clients lose it. */
export function DeleteTagDialog({
  tag,
  open,
  onClose,
  afterClose,
  onDeleted,
  onGone,
}: {
  tag: ClientTag;
  open: boolean;
  onClose: () => void;
  afterClose: () => void;
  onDeleted: () => void;
  onGone: () => void;
}) {
  const { t } = useTranslation();
  const { data: count } = useClientsWithTagQuery(tag.id);
  const [remove, { isLoading }] = useDeleteTagMutation();

  const submit = async () => {
    const outcome = reportOutcome(await remove(tag.id));
    if (outcome === 'gone') onGone();
    if (outcome !== 'done') return;
    notify('success', t('tags.deleted'));
    onDeleted();
    onClose();
  };

  return (
    <Dialog
      open={open}
      title={t('tags.deleteTitle', { value: isolateName(tag.value) })}
      onClose={onClose}
      afterClose={afterClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button type="primary" danger loading={isLoading} onClick={submit}>
            {t('tags.delete')}
          </Button>
        </>
      }
    >
      <p>{t('tags.deleteText')}</p>
      <p role="status">{count !== undefined && t('tags.deleteEffect', { count })}</p>
    </Dialog>
  );
}
