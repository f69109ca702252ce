import './words/en.js';
import { useEffect, useRef } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import type { ServerStatus } from '../../../../src/contract/dashboard.js';
import { useServerStatus } from '../../api/dashboard.js';
import { useSmartConfigurationQuery } from '../../api/discovery.js';
import { useSettings } from '../../api/settings.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import messageStyles from '../../shared/ui/placeholders/message-page.module.css';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import { Configuration } from './configuration.js';
import { type DiscoveryDocument, listOf } from './discovery-document.js';
import { Endpoints, Identity, Values } from './facts.js';
import { CapabilityFolds, ScopeFolds } from './groups.js';
import '../clients/words/en.js';

/** The SMART configuration that apps read at their FHIR base (`spec §2`). */
export function SmartConfigurationPage() {
  const { t } = useTranslation();
  const { documentation } = useSettings();
  const { data, error, refetch } = useSmartConfigurationQuery(undefined, { refetchOnMountOrArgChange: true });
  const status = useServerStatus({ skip: Boolean(data) });
  const up = status?.isFirelyServerAvailable;
  const wasDown = useRef(false);

  // Looks again by itself once the server is back.
  useEffect(() => {
    if (up && wasDown.current) refetch();
    wasDown.current = up === false;
  }, [up, refetch]);

  return (
    <Configuration
      title={t('discovery.smartTitle')}
      lead={
        <>
          <Trans
            i18nKey="discovery.smartLead"
            values={{ path: '/.well-known/smart-configuration' }}
            components={{ code: <code /> }}
          />{' '}
          {documentation.smartConfiguration && (
            <NewTabLink href={documentation.smartConfiguration}>{t('common.documentation')}</NewTabLink>
          )}
        </>
      }
      document={data}
      failed={error && status ? <NoConfiguration status={status} onRetry={refetch} /> : null}
    >
      {(document) => <Processed document={document} />}
    </Configuration>
  );
}

/** Explains why there is no configuration to show. */
function NoConfiguration({ status, onRetry }: { status: ServerStatus; onRetry: () => void }) {
  const { t } = useTranslation();
  const { documentation } = useSettings();
  if (status.isFirelyServerAvailable && status.firelyServerUrl) {
    return <LoadFailed onRetry={onRetry} title={t('discovery.failedTitle')} text={t('discovery.failedText')} />;
  }
  return (
    <div className={messageStyles.message} role="status">
      <h2>{t('discovery.disconnectedTitle')}</h2>
      <p>{t('discovery.disconnectedText')}</p>
      {documentation.fhirServer && (
        <NewTabLink href={documentation.fhirServer}>{t('serverState.setupInstructions')}</NewTabLink>
      )}
    </div>
  );
}

function Processed({ document }: { document: DiscoveryDocument }) {
  const { t } = useTranslation();
  return (
    <>
      <Identity document={document} />
      <Endpoints
        document={document}
        members={['authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'introspection_endpoint']}
      />
      <Section title={t('discovery.capabilities')} help={t('discovery.capabilitiesHelp')} wide>
        <CapabilityFolds capabilities={listOf(document, 'capabilities')} />
      </Section>
      <Section title={t('discovery.scopes')} help={t('discovery.scopesHelp')} wide>
        <div className={cardStyles.card}>
          <ScopeFolds scopes={listOf(document, 'scopes_supported')} />
        </div>
      </Section>
      <Values
        document={document}
        members={[
          'grant_types_supported',
          'response_types_supported',
          'code_challenge_methods_supported',
          'token_endpoint_auth_methods_supported',
          'token_endpoint_auth_signing_alg_values_supported',
        ]}
      />
    </>
  );
}
