import {
  DeleteOutlined,
  DownloadOutlined,
  PauseCircleOutlined,
  PlayCircleOutlined,
  TagsOutlined,
} from '@ant-design/icons';
import { Button } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientFilter } from '../../../../src/contract/clients/bulk.js';
import type { ClientView } from '../../../../src/contract/clients/clients.js';
import type { ClientBulkAction } from '../../../../src/contract/rules/bulk.js';
import { useChangeClientsMutation, useUndoClientsMutation } from '../../api/clients/clients.js';
import { formErrors, hasPageOfItsOwn } from '../../api/failures/form-errors.js';
import { randomId } from '../../shared/browser/random-id.js';
import { numeral } from '../../shared/i18n/language.js';
import { BulkBar, type BulkPlace } from '../../shared/list/bulk/bulk-bar.js';
import { chosen, useBulk } from '../../shared/list/bulk/use-bulk.js';
import { Dialog } from '../../shared/ui/overlays/dialog.js';
import { ImpactText } from './ending/client-ending.js';
import { BulkTags } from './tags/bulk-tags.js';
import '../../shared/list/bulk/words/en.js';

/**
 * More than these are not counted before: the server counts up to 500, and proxies refuse an address that is longer.
 */
const mostCounted = 200;

/** A change of more can take longer than the time to undo. */
const many = 500;

const outcomes = { enable: 'enabled', disable: 'disabled', tag: 'tagged', delete: 'deleted' } as const;

/** The actions for the selected clients. */
export function ClientBulkBar({
  place,
  filter,
  available,
}: {
  place: BulkPlace<ClientView>;
  filter: ClientFilter;
  /** Clients can be changed; disabling is for emergencies, too. */
  available: boolean;
}) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState<'disable' | 'delete' | 'tag' | null>(null);
  const { act: run, save, bar } = useClientBulk(place, filter);
  const { selection } = place;
  const act: typeof run = (...asked) => {
    setAsking(null);
    run(...asked);
  };

  const enabled = selection.rows.filter((client) => client.enabled).length;
  return (
    <>
      {selection.count > 0 && (
        <BulkBar
          place={place}
          {...bar}
          summary={
            !selection.all &&
            enabled > 0 &&
            enabled < selection.count &&
            t('bulk.states', { disabled: numeral(selection.count - enabled), enabled: numeral(enabled) })
          }
          actions={[
            {
              key: 'delete',
              label: t('bulk.delete'),
              icon: <DeleteOutlined aria-hidden />,
              danger: true,
              disabled: !available,
              act: () => setAsking('delete'),
            },
            {
              key: 'export',
              label: t('bulk.export'),
              icon: <DownloadOutlined aria-hidden />,
              act: save,
            },
            {
              key: 'tags',
              label: t('bulk.tags'),
              icon: <TagsOutlined aria-hidden />,
              disabled: !available,
              act: () => setAsking('tag'),
            },
            {
              key: 'enable',
              label: t('bulk.enable'),
              icon: <PlayCircleOutlined aria-hidden />,
              disabled: !available || (!selection.all && enabled === selection.count),
              act: () => act('enable'),
            },
            {
              key: 'disable',
              label: t('bulk.disable'),
              icon: <PauseCircleOutlined aria-hidden />,
              disabled: !selection.all && enabled === 0,
              act: () => setAsking('disable'),
            },
          ]}
        />
      )}
      <Question
        asked={asking === 'delete' ? 'delete' : 'disable'}
        open={asking === 'disable' || asking === 'delete'}
        count={selection.count}
        ids={selection.known}
        onClose={() => setAsking(null)}
        onConfirm={act}
      />
      <BulkTags
        open={asking === 'tag'}
        count={selection.count}
        clients={selection.all ? null : selection.rows}
        onClose={() => setAsking(null)}
        onConfirm={(addTags, removeTags) => act('tag', { addTags, removeTags })}
      />
    </>
  );
}

/** The calls for the selected clients. */
function useClientBulk(place: BulkPlace<ClientView>, filter: ClientFilter) {
  const { t } = useTranslation();
  const [change] = useChangeClientsMutation();
  const [undo] = useUndoClientsMutation();
  const { run, exportRows, bar } = useBulk(place);
  const choice = chosen(place, filter);
  const act = (action: ClientBulkAction, more: { addTags?: string[]; removeTags?: string[] } = {}) => {
    const id = randomId();
    const outcome = outcomes[action];
    void run(
      () => change({ id, action, ...choice, ...more }).unwrap(),
      (error) => (hasPageOfItsOwn(error) ? null : (formErrors(error).form[0] ?? null)),
      {
        text: (numbers, all) => (all ? t(`bulk.${outcome}All`, numbers) : t(`bulk.${outcome}Some`, numbers)),
        undo: () => undo(id).unwrap(),
        id,
      },
    );
  };
  const save = () => void exportRows('/api/admin/client/export', choice, 'clients.csv');
  return { act, save, bar };
}

/** Asks before many are disabled or deleted; Enter confirms what can be undone. */
function Question({
  asked,
  open,
  count,
  ids,
  onClose,
  onConfirm,
}: {
  asked: 'disable' | 'delete';
  open: boolean;
  count: number;
  /** The clients that it is about, if they are known. */
  ids: string[] | null;
  onClose: () => void;
  onConfirm: (action: 'disable' | 'delete') => void;
}) {
  const { t } = useTranslation();
  const confirm = useRef<HTMLButtonElement>(null);
  const cancel = useRef<HTMLButtonElement>(null);
  const numbers = { count, number: numeral(count) };
  return (
    <Dialog
      open={open}
      title={t(`bulk.${asked}Title`, numbers)}
      initialFocus={asked === 'disable' ? confirm : cancel}
      onClose={onClose}
      actions={
        <>
          <Button ref={cancel} onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button ref={confirm} type="primary" danger onClick={() => onConfirm(asked)}>
            {t(`bulk.${asked}`)}
          </Button>
        </>
      }
    >
      {ids && ids.length > 0 && ids.length <= mostCounted && <ImpactText ids={ids} />}
      <p>{t(`bulk.${asked}Text`)}</p>
      {count > many && <p>{t('bulk.manyText')}</p>}
    </Dialog>
  );
}
