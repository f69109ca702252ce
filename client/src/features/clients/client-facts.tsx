import { CheckOutlined, CloseOutlined, WarningFilled } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientIdentityProvider } from '../../../../src/contract/clients/client-conditions.js';
import type { ClientSecretView, ClientView } from '../../../../src/contract/clients/clients.js';
import {
  type ClientField,
  clientFields,
  clientSections,
  emptyForAll,
  isVisible,
} from '../../../../src/contract/rules/clients/client-fields.js';
import { clientFormWarnings } from '../../../../src/contract/rules/clients/client-form.js';
import { statesOfSecret } from '../../../../src/contract/rules/clients/client-secrets.js';
import { parseLifetime } from '../../../../src/contract/rules/lifetime.js';
import { longDate } from '../../shared/i18n/dates.js';
import { exactDuration } from '../../shared/i18n/language.js';
import { translateProblems } from '../../shared/i18n/messages.js';
import { Fact, Facts, FoldedFacts } from '../../shared/ui/text/facts.js';
import type { ClientContext } from './client-context.js';
import styles from './clients-page.module.css';
import { SecretMarks } from './secret-marks.js';
import './form/words/en.js';

/** These stand in the head of the sheet and in front of its sections. */
const inHead: readonly ClientField[] = ['enabled', 'clientName', 'clientTags', 'clientId'];
/** Short words, which stand in one line. */
const words: readonly ClientField[] = [
  'allowedSmartActions',
  'allowedSmartLegacyActions',
  'allowedSmartSubjects',
  'allowedResourceTypes',
  'allowedTenants',
  'allowedGrantTypes',
];
const prose: readonly ClientField[] = ['description', 'legalCompanyName', 'identityProviderRestrictions'];

/**
 * All sections of the form, to be read; of each the fields that are visible for this client (`spec §2`). They are
 * folded, except one with a warning.
 */
export function ClientFacts({ client, context }: { client: ClientView; context: ClientContext }) {
  const { t } = useTranslation();
  const { environment, providers } = context;
  const warnings = translateProblems(clientFormWarnings(client, environment));
  const shown = (Object.keys(clientFields) as ClientField[]).filter(
    (field) => !inHead.includes(field) && isVisible(field, client, environment),
  );
  return clientSections.map((section) => {
    const fields = shown.filter((field) => clientFields[field].section === section);
    const isWarned = fields.some((field) => warnings.some((warning) => fieldOf(warning) === field));
    return (
      fields.length > 0 && (
        <FoldedFacts key={section} title={t(`clientForm.sectionTitles.${section}`)} open={isWarned}>
          <Facts>
            {fields.map((field) => (
              <Fact key={field} label={t(`clients.fields.${field}`)}>
                <FieldValue field={field} client={client} providers={providers} />
                {warnings
                  .filter((warning) => fieldOf(warning) === field)
                  .flatMap(({ messages }) => messages)
                  .map((message) => (
                    <span key={message} className={styles.warning}>
                      <WarningFilled aria-hidden /> {message}
                    </span>
                  ))}
              </Fact>
            ))}
          </Facts>
        </FoldedFacts>
      )
    );
  });
}

const fieldOf = ({ field }: { field?: string }) => field?.split('.', 1)[0];

function FieldValue({
  field,
  client,
  providers,
}: {
  field: ClientField;
  client: ClientView;
  providers: readonly ClientIdentityProvider[];
}): ReactNode {
  const { t } = useTranslation();
  const none = <span className={styles.none}>{t('common.noValue')}</span>;
  switch (field) {
    case 'clientType':
      return t(`clients.types.${client.clientType}`);
    case 'applicationType':
      return t(`clients.applicationTypes.${client.applicationType}`);
    case 'securityProfile':
      return t(`clients.profiles.${client.securityProfile}`);
    case 'requiredAcr':
      return t(`clients.requiredAcrs.${client.requiredAcr}`);
    case 'maxAuthenticationAge':
      return client.maxAuthenticationAge === '' ? (
        t('clients.noLimit')
      ) : (
        <Lifetime text={client.maxAuthenticationAge} />
      );
    case 'accessTokenLifetime':
    case 'refreshTokenLifetime':
    case 'consentLifetime':
      return <Lifetime text={client[field]} />;
    case 'clientSecrets':
      return client.clientSecrets.length === 0
        ? none
        : client.clientSecrets.map((secret) => <Secret key={secret.id} secret={secret} />);
    case 'clientClaims':
      return client.clientClaims.length === 0 ? (
        none
      ) : (
        <Lines of={client.clientClaims.map(({ name, value }) => `${name}: ${value}`)} />
      );
    case 'identityProviderRestrictions':
      return client.identityProviderRestrictions.length === 0 ? (
        t('clients.all')
      ) : (
        <Lines
          prose
          of={client.identityProviderRestrictions.map(
            (wanted) => providers.find(({ scheme }) => scheme === wanted)?.displayName ?? wanted,
          )}
        />
      );
    default: {
      const value = client[field];
      if (typeof value === 'boolean') return <YesOrNo is={value} />;
      const lines = [value].flat().filter((line) => line !== '') as string[];
      if (lines.length === 0) return emptyForAll.includes(field) ? t('clients.all') : none;
      if (words.includes(field)) return <span className={styles.id}>{lines.join(', ')}</span>;
      return <Lines of={lines} prose={prose.includes(field)} />;
    }
  }
}

function Lines({ of, prose = false }: { of: readonly string[]; prose?: boolean }) {
  return of.map((line) => (
    <span key={line} className={prose ? styles.line : `${styles.line} ${styles.id}`}>
      {line}
    </span>
  ));
}

function YesOrNo({ is }: { is: boolean }) {
  const { t } = useTranslation();
  return is ? (
    <>
      <CheckOutlined className={styles.yes} aria-hidden /> {t('clients.yes')}
    </>
  ) : (
    <span className={styles.none}>
      <CloseOutlined aria-hidden /> {t('clients.no')}
    </span>
  );
}

/** As people say it. */
function Lifetime({ text }: { text: string }) {
  const { t } = useTranslation();
  if (text === '') return t('clients.noEnd');
  const seconds = parseLifetime(text);
  return seconds === undefined ? text : exactDuration(seconds);
}

function Secret({ secret }: { secret: ClientSecretView }) {
  const { t } = useTranslation();
  const kind = secret.secretUrl !== null ? 'JwksUrl' : secret.secretType;
  const isOver = statesOfSecret(secret, new Date()).includes('expired');
  const day = (iso: string) => longDate(iso).date;
  return (
    <div className={styles.secret}>
      <span className={styles.line}>{t(`clients.secretTypes.${kind}`)}</span>
      {secret.description && <span className={styles.line}>{secret.description}</span>}
      {(secret.secretUrl ?? secret.secret) && (
        <span className={`${styles.line} ${styles.id}`}>{secret.secretUrl ?? secret.secret}</span>
      )}
      {kind === 'SharedSecret' && <span className={styles.note}>{t('clients.secretHidden')}</span>}
      <SecretMarks secret={secret} />
      {secret.expires && (
        <span className={styles.note}>
          {t(isOver ? 'clients.secretExpired' : 'clients.secretExpires', { date: day(secret.expires) })}
        </span>
      )}
      {secret.lastUsed && (
        <span className={styles.note}>{t('clients.secretUsed', { date: day(secret.lastUsed) })}</span>
      )}
    </div>
  );
}
