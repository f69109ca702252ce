import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { ClientChange } from '../../../../src/contract/clients/client-changes.js';
import type { ClientView } from '../../../../src/contract/clients/clients.js';
import { useClientHistoryQuery } from '../../api/clients/clients.js';
import { longMoment } from '../../shared/i18n/dates.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { listOf } from '../../shared/i18n/language.js';
import { FactSection } from '../../shared/ui/text/facts.js';
import styles from './client-activity.module.css';
import { authorName } from './form/fields/author-name.js';
import './form/words/en.js';

const changesShown = 5;
/** More fields of one change are counted. */
const named = 3;

/** The last changes of a client, with the administrators who made them. */
export function ClientChangesSection({ client }: { client: ClientView }) {
  const { t } = useTranslation();
  const { data } = useClientHistoryQuery(client.id);
  if (!data || data.changes.length === 0) return null;
  return (
    <FactSection title={t('clientEdit.lastChanges')}>
      <ul className={styles.list}>
        {data.changes.slice(0, changesShown).map((change) => (
          <li key={change.entry}>
            {isolateName(authorName(t, change))}
            <span className={styles.line}>
              {longMoment(change.at)}: {change.isCreation ? t('clientEdit.addedIt') : <Fields change={change} />}
            </span>
          </li>
        ))}
      </ul>
      <Link
        className="target"
        to={`/admin/audit?${new URLSearchParams({ clientId: client.clientId, group: 'changes' })}`}
      >
        {t('clientEdit.allChanges')}
      </Link>
    </FactSection>
  );
}

function Fields({ change: { fields } }: { change: ClientChange }) {
  const { t } = useTranslation();
  if (fields.length === 0) return t('clientEdit.changed');
  if (fields.length > named) return t('clientEdit.settings', { count: fields.length });
  return listOf(fields.map(({ field }) => t(`clients.fields.${field}`)));
}
