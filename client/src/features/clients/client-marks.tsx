import { LockOutlined, UnlockOutlined } from '@ant-design/icons';
import { useTranslation } from 'react-i18next';
import type { ClientView } from '../../../../src/contract/clients/clients.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import { ManagedBadge } from '../../shared/ui/marks/managed.js';
import { Exception } from '../../shared/ui/marks/status.js';
import { TagMark } from '../../shared/ui/marks/tag-mark.js';
import styles from './clients-page.module.css';

/** A client without a type that works is an exception that stands out among the others. */
export function ClientTypeText({ type }: { type: ClientView['clientType'] }) {
  const { t } = useTranslation();
  return type === 'Invalid' ? <Exception>{t('clients.types.Invalid')}</Exception> : t(`clients.types.${type}`);
}

export function TagChips({ tags }: { tags: ClientView['clientTags'] }) {
  return (
    <span className={styles.tags}>
      {tags.map(({ id, value, color }) => (
        <Badge key={id} tone="outlined" icon={<TagMark color={color} />}>
          <bdi className={styles.tag}>{value}</bdi>
        </Badge>
      ))}
    </span>
  );
}

/** Badges of a client: enabled or not, with credentials or public, and its tags; a warning if its type is invalid. */
export function ClientBadges({ client }: { client: ClientView }) {
  const { t } = useTranslation();
  const isPrivate = client.clientSecrets.length > 0;
  return (
    <span className={styles.tags}>
      <Badge tone={client.enabled ? 'good' : 'neutral'} dot>
        {t(client.enabled ? 'clients.enabled' : 'clients.disabled')}
      </Badge>
      <Badge icon={isPrivate ? <LockOutlined aria-hidden /> : <UnlockOutlined aria-hidden />}>
        {t(isPrivate ? 'clients.private' : 'clients.public')}
      </Badge>
      {client.managed && <ManagedBadge />}
      {client.clientType === 'Invalid' && <ClientTypeText type="Invalid" />}
      <TagChips tags={client.clientTags} />
    </span>
  );
}
