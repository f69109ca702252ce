import { CopyOutlined, ExperimentOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { ClientForm, ClientView } from '../../../../src/contract/clients/clients.js';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import type { ClientType } from '../../../../src/contract/rules/client-values.js';
import { useClientQuery, useDeleteClientMutation } from '../../api/clients/clients.js';
import { isGone, reportOutcome } from '../../api/failures/form-errors.js';
import { usePresence } from '../../api/presence.js';
import { useOpened } from '../../shared/addresses/use-opened.js';
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
import { draftOf } from './form/state/client-draft.js';
import { ServerBanner } from './server-banner.js';
import { useClientMode } from './use-client-mode.js';
import './form/words/en.js';
import './ending/words/en.js';

const captions = {
  view: 'clients.info',
  edit: 'clients.edit',
  review: 'clients.setClientType',
  'set-type': 'clients.setClientType',
} as const;

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
  const available = status?.isFirelyServerAvailable ?? false;
  const modes = useClientMode(id, client, context !== undefined && available);
  const { mode, isManaged, isInvalid } = modes;
  const isEditing = mode.is === 'edit' || mode.is === 'set-type';
  const [missing, setMissing] = useState(false);
  const [progress, setProgress] = useState(untouched);
  const [onlyDiffering, setOnlyDiffering] = useState(false);
  const [remove] = useDeleteClientMutation();
  const leaving = useRef(freely);
  const tellDeleted = useDeletionNotice(client);
  const { presence, tellSaved } = usePresence({ kind: 'client', id, open: place.open, editing: mode.is !== 'view' });
  const isBeside = useSidePanel(!isEditing);
  const name = client?.clientName || client?.clientId || place.name;
  const discard = () => leaving.current.leave(modes.view);

  return (
    <RecordSheet
      of="clients"
      place={place}
      sidePanel={!isEditing}
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
          <ReviewActions
            type={mode.type}
            onDiscard={discard}
            onAccept={(type) => client && modes.accept(client, type)}
          />
        ) : (
          isEditing && <SaveActions progress={progress} onDiscard={discard} />
        )
      }
      change={{
        label: t(isInvalid ? 'clients.setType' : 'clients.editAction'),
        disabled: !available || !context || isManaged,
        onClick: () => client && modes.change(client),
      }}
      locked={!available || isManaged}
      leaving={leaving}
      remove={async () => reportOutcome(await remove(id))}
      more={client && <AvailabilityButton client={client} asText />}
      effects={<ImpactText ids={[id]} />}
      undoText={t('clientEnding.deleteUndo')}
      onRemoved={tellDeleted}
    >
      {client && mode.is === 'view' && !isBeside && (
        <div className={endingStyles.here}>
          <AvailabilityButton client={client} asText={false} />
        </div>
      )}
      {client && !isBeside && <ServerBanner status={status} />}
      {client && mode.is === 'view' && context && <Facts client={client} context={context} available={available} />}
      {client && mode.is === 'review' && <Review form={draftOf(client)} type={mode.type} onChoose={modes.review} />}
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
            modes.view();
          }}
          onGone={() => setMissing(true)}
        />
      )}
    </RecordSheet>
  );
}

/** The state of the client first, as administrators look for it; then its settings and changes. */
function Facts({ client, context, available }: { client: ClientView; context: ClientContext; available: boolean }) {
  return (
    <>
      {client.managed && <ManagedNotice kind="client" name={client.clientId} />}
      {client.clientType !== 'Invalid' && <Acts id={client.id} disabled={!available} />}
      <ClientActivitySection client={client} />
      <ClientFacts client={client} context={context} />
      <ClientChangesSection client={client} />
    </>
  );
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
 * Not one component with the footer of the form: were the button of one to become that of the other, the click that is
 * under way would submit the form.
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
