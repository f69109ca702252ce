import { CopyOutlined, ExperimentOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router-dom';
import type { ClientForm, ClientView } from '../../../../src/contract/clients/clients.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { applyClientType } from '../../../../src/contract/rules/clients/client-fields.js';
import type { ClientType } from '../../../../src/contract/rules/clients/client-values.js';
import { useClientQuery, useDeleteClientMutation } from '../../api/clients/clients.js';
import { isGone, reportOutcome } from '../../api/failures/form-errors.js';
import { usePresence } from '../../api/presence.js';
import { usePageQuery } from '../../shared/addresses/page-query.js';
import { useOpened } from '../../shared/addresses/use-opened.js';
import { keptDraft } from '../../shared/drafts/drafts.js';
import { useOpenForm } from '../../shared/drafts/use-open-form.js';
import { Banner } from '../../shared/ui/layout/banner.js';
import { ManagedNotice } from '../../shared/ui/marks/managed.js';
import { freely, RecordSheet, type SheetPlace } from '../../shared/ui/overlays/record-sheet.js';
import { useSidePanel } from '../../shared/ui/overlays/use-side-panel.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import { ClientActivitySection } from './client-activity.js';
import { ClientChangesSection } from './client-changes.js';
import type { ClientContext } from './client-context.js';
import { ClientFacts } from './client-facts.js';
import { ClientBadges } from './client-marks.js';
import styles from './clients-page.module.css';
import { AvailabilityButton, ImpactText, useDeletionNotice } from './ending/client-ending.js';
import endingStyles from './ending/client-ending.module.css';
import { EditClient } from './form/edit-client.js';
import { TypeChoice } from './form/fields/type-field.js';
import { TypeReview } from './form/fields/type-review.js';
import { OnlyDiffering, SaveActions, untouched } from './form/save-actions.js';
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
  const [chosen, setMode] = useState(() => keptMode(id));
  // Also one that came under a file while its change was not saved.
  const isManaged = client?.managed === true;
  const mode = isManaged ? view : chosen;
  // A type that is only chosen yet is kept with its page.
  useOpenForm({ name: `client-type:${id}`, isChanged: () => mode.is === 'review' && mode.type !== null });
  const [missing, setMissing] = useState(false);
  const [progress, setProgress] = useState(untouched);
  const [onlyDiffering, setOnlyDiffering] = useState(false);
  const [remove] = useDeleteClientMutation();
  const leaving = useRef(freely);
  const tellDeleted = useDeletionNotice(client);
  const { presence, tellSaved } = usePresence({ kind: 'client', id, open: place.open, editing: mode.is !== 'view' });
  const isEditing = mode.is === 'edit' || mode.is === 'set-type';
  const isBeside = useSidePanel(!isEditing);
  const name = client?.clientName || client?.clientId || place.name;
  const available = status?.isFirelyServerAvailable ?? false;
  const isInvalid = client?.clientType === 'Invalid';
  const discard = () => leaving.current.leave(() => setMode(view));
  useWantedField(client !== undefined && context !== undefined && available, (field) => {
    if (!client || isInvalid || isManaged) return;
    setMode((current) => (current.is === 'view' ? { is: 'edit', start: draftOf(client), field } : current));
  });
  const accept = (type: ClientType) =>
    client && setMode({ is: 'set-type', start: applyClientType(draftOf(client), type) });

  return (
    <RecordSheet
      of="clients"
      place={place}
      beside={!isEditing}
      wide={isEditing}
      caption={t(captions[mode.is])}
      name={name}
      head={
        <>
          <Head name={name} client={client} />
          {isEditing && <OnlyDiffering on={onlyDiffering} onChange={setOnlyDiffering} />}
        </>
      }
      presence={presence}
      state={missing || isGone(error) ? 'gone' : client ? 'there' : error ? 'failed' : 'loading'}
      onRetry={refetch}
      footer={
        mode.is === 'review' ? (
          <ReviewActions type={mode.type} onDiscard={discard} onAccept={accept} />
        ) : (
          isEditing && <SaveActions progress={progress} onDiscard={discard} />
        )
      }
      change={{
        label: t(isInvalid ? 'clients.setType' : 'clients.editAction'),
        disabled: !available || !context || isManaged,
        onClick: () =>
          client && setMode(isInvalid ? { is: 'review', type: null } : { is: 'edit', start: draftOf(client) }),
      }}
      locked={!available || isManaged}
      leaving={leaving}
      remove={async () => reportOutcome(await remove(id))}
      more={client && <AvailabilityButton client={client} beside />}
      effects={<ImpactText ids={[id]} />}
      undoText={t('clientEnding.deleteUndo')}
      onRemoved={tellDeleted}
    >
      {client && mode.is === 'view' && !isBeside && (
        <div className={endingStyles.here}>
          <AvailabilityButton client={client} beside={false} />
        </div>
      )}
      {client && !isBeside && <ServerBanner status={status} />}
      {client && mode.is === 'view' && context && (
        <>
          {isManaged && <ManagedNotice kind="client" name={client.clientId} />}
          {!isInvalid && <Acts id={id} disabled={!available} />}
          <ClientFacts client={client} context={context} />
          <ClientActivitySection client={client} />
          <ClientChangesSection client={client} />
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
          onProgress={setProgress}
          onlyDiffering={onlyDiffering}
          onSaved={() => {
            tellSaved();
            setMode(view);
          }}
          onGone={() => setMissing(true)}
        />
      )}
    </RecordSheet>
  );
}

/** A link to a field of the form opens it once it can be edited. The address then names the client only, so that Back leads to the link. */
function useWantedField(ready: boolean, open: (field: string) => void): void {
  const { query, change } = usePageQuery();
  const { key } = useLocation();
  const opened = useRef<string | null>(null);
  const field = query.get('field');
  useEffect(() => {
    // Once for each link: the new address is rendered later than the form, in which the user may have typed by then.
    if (!ready || field === null || opened.current === key) return;
    opened.current = key;
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

/** Opens the form of a new client with the settings of this one, or the page that tries a launch of it. */
function Acts({ id, disabled }: { id: string; disabled: boolean }) {
  const { t } = useTranslation();
  const { show } = useOpened('client', 'add');
  const navigate = useNavigate();
  return (
    <p className={styles.acts}>
      <Button icon={<CopyOutlined aria-hidden />} disabled={disabled} onClick={() => show('add', id)}>
        {t('clientAdd.duplicate')}
      </Button>
      <Button
        icon={<ExperimentOutlined aria-hidden />}
        onClick={() => navigate(`/admin/try-launch?${new URLSearchParams({ client: id })}`)}
      >
        {t('clientAdd.tryLaunch')}
      </Button>
    </p>
  );
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
 * Not one component with the footer of the form: were the button of one to become that of the other, the click that is under way
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
