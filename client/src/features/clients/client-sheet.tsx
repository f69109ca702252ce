import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientForm, ClientView } from '../../../../src/contract/clients.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { applyClientType } from '../../../../src/contract/rules/clients/client-fields.js';
import type { ClientType } from '../../../../src/contract/rules/clients/client-values.js';
import { useClientQuery, useDeleteClientMutation } from '../../api/clients.js';
import { isGone, reportOutcome } from '../../api/failures/form-errors.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';
import { keptDraft } from '../../shared/drafts/drafts.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { freely, RecordSheet, type SheetPlace } from '../../shared/ui/overlays/record-sheet.js';
import { useSidePanel } from '../../shared/ui/overlays/use-side-panel.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { ClientActivitySection } from './client-activity.js';
import type { ClientContext } from './client-context.js';
import { ClientFacts } from './client-facts.js';
import { ClientBadges } from './client-marks.js';
import styles from './clients-page.module.css';
import { EditClient, editFormId } from './form/edit-client.js';
import { TypeChoice } from './form/fields/type-field.js';
import { TypeReview } from './form/fields/type-review.js';
import { clientDraftName, draftOf } from './form/state/client-draft.js';
import type { KeptClientDraft } from './form/state/use-client-form.js';
import { ServerBanner } from './server-banner.js';

/** `spec §4` Client panel modes; choosing a type begins with a review. */
type Mode =
  | { is: 'view' }
  /** `field`: the one to begin with. */
  | { is: 'edit' | 'set-type'; start: ClientForm; field?: string }
  | { is: 'review'; type: ClientType | null };

const view: Mode = { is: 'view' };

const captions = {
  view: 'clients.info',
  edit: 'clients.edit',
  review: 'clients.setClientType',
  'set-type': 'clients.setClientType',
} as const;

/** A client whose change was not saved opens with it. */
function keptMode(id: string): Mode {
  const kept = keptDraft<KeptClientDraft>(clientDraftName(id));
  return kept ? { is: kept.mode === 'set-type' ? 'set-type' : 'edit', start: kept.draft } : view;
}

/** One client: to be looked at, changed, given a type, or deleted. */
export function ClientSheet({
  place,
  status,
  context,
}: {
  place: SheetPlace;
  status: ServerStatus | undefined;
  context: ClientContext | undefined;
}) {
  const { id } = place;
  const { t } = useTranslation();
  const { data: client, error, refetch } = useClientQuery(id);
  const [mode, setMode] = useState(() => keptMode(id));
  // A type that is only chosen yet is kept with its page.
  useOpenForm({ name: `client-type:${id}`, isChanged: () => mode.is === 'review' && mode.type !== null });
  const [missing, setMissing] = useState(false);
  const [saving, setSaving] = useState(false);
  const [replacing, setReplacing] = useState(false);
  const [remove] = useDeleteClientMutation();
  const leaving = useRef(freely);
  const isBeside = useSidePanel(true);
  const name = client?.clientName || client?.clientId || place.name;
  const available = status?.isFirelyServerAvailable ?? false;
  const isInvalid = client?.clientType === 'Invalid';
  const discard = () => leaving.current.leave(() => setMode(view));
  useWantedField(client !== undefined && context !== undefined && available, (field) => {
    if (!client || isInvalid) return;
    setMode((current) => (current.is === 'view' ? { is: 'edit', start: draftOf(client), field } : current));
  });
  const accept = (type: ClientType) =>
    client && setMode({ is: 'set-type', start: applyClientType(draftOf(client), type) });

  return (
    <RecordSheet
      of="clients"
      place={place}
      beside
      caption={t(captions[mode.is])}
      name={name}
      head={<Head name={name} client={client} />}
      state={missing || isGone(error) ? 'gone' : client ? 'there' : error ? 'failed' : 'loading'}
      onRetry={refetch}
      footer={
        mode.is === 'review' ? (
          <ReviewActions type={mode.type} onDiscard={discard} onAccept={accept} />
        ) : (
          mode.is !== 'view' && <SaveActions saving={saving} replacing={replacing} onDiscard={discard} />
        )
      }
      change={{
        label: t(isInvalid ? 'clients.setType' : 'clients.editAction'),
        disabled: !available || !context,
        onClick: () =>
          client && setMode(isInvalid ? { is: 'review', type: null } : { is: 'edit', start: draftOf(client) }),
      }}
      locked={!available}
      leaving={leaving}
      remove={async () => reportOutcome(await remove(id))}
    >
      {client && !isBeside && <ServerBanner status={status} />}
      {client && mode.is === 'view' && context && (
        <>
          <ClientFacts client={client} context={context} />
          <ClientActivitySection client={client} />
        </>
      )}
      {client && mode.is === 'review' && (
        <Review form={draftOf(client)} type={mode.type} onChoose={(type) => setMode({ is: 'review', type })} />
      )}
      {client && context && (mode.is === 'edit' || mode.is === 'set-type') && (
        <EditClient
          client={client}
          start={mode.start}
          {...(mode.field && { field: mode.field })}
          mode={mode.is}
          context={context}
          leaving={leaving}
          onBusy={setSaving}
          onReplacing={setReplacing}
          onSaved={() => setMode(view)}
          onGone={() => setMissing(true)}
        />
      )}
    </RecordSheet>
  );
}

/** A link to a field of the form opens it once it can be edited. The address then names the client only, so that Back leads to the link. */
function useWantedField(ready: boolean, open: (field: string) => void): void {
  const { query, change } = usePageQuery();
  const field = query.get('field');
  useEffect(() => {
    if (!ready || field === null) return;
    change(
      (current) => {
        const others = new URLSearchParams(current);
        others.delete('field');
        return others;
      },
      { replace: true },
    );
    open(field);
  });
}

function Head({ name, client }: { name: string; client: ClientView | undefined }) {
  return (
    <span className={styles.who}>
      <span className={styles.title}>
        <bdi>{name}</bdi>
      </span>
      {client ? <ClientBadges client={client} /> : <Skeleton width={180} />}
    </span>
  );
}

/**
 * Two components for the two footers: were the button of one to become that of the other, the click that is under way
 * would submit the form.
 */
function ReviewActions({
  type,
  onDiscard,
  onAccept,
}: {
  type: ClientType | null;
  onDiscard: () => void;
  onAccept: (type: ClientType) => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Button onClick={onDiscard}>{t('clients.discardChanges')}</Button>
      <Button type="primary" disabled={type === null} onClick={() => type && onAccept(type)}>
        {t('clients.acceptType')}
      </Button>
    </>
  );
}

function SaveActions({
  saving,
  replacing,
  onDiscard,
}: {
  saving: boolean;
  /** Saving replaces what another administrator saved first. */
  replacing: boolean;
  onDiscard: () => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Button onClick={onDiscard}>{t('clients.discardChanges')}</Button>
      <Button type="primary" htmlType="submit" form={editFormId} loading={saving}>
        {t(replacing ? 'conflict.save' : 'common.save')}
      </Button>
    </>
  );
}

/** A type for a client that has none: what the choice would do, before it does (`spec §2` Set client type). */
function Review({
  form,
  type,
  onChoose,
}: {
  form: ClientForm;
  type: ClientType | null;
  onChoose: (type: ClientType) => void;
}) {
  const { t } = useTranslation();
  return (
    <>
      <div role="status">
        <Banner tone="warning">
          <strong>{t('clients.typeInvalid')}:</strong> {t('clients.typeInvalidText')}
        </Banner>
      </div>
      <TypeChoice value={type} onChange={onChoose} />
      {type && <TypeReview form={form} type={type} />}
    </>
  );
}
