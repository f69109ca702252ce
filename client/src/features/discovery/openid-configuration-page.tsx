import './words/en.js';
import { Trans, useTranslation } from 'react-i18next';
import { useOpenidConfigurationQuery } from '../../api/discovery.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import { Configuration } from './configuration.js';
import { type DiscoveryDocument, listOf } from './discovery-document.js';
import { Chips, Endpoints, Identity, Ticks, Values } from './facts.js';
import { Fold, ScopeFolds } from './groups.js';

/** The OpenID provider metadata that apps read (`spec §2`). */
export function OpenidConfigurationPage() {
  const { t } = useTranslation();
  const { data, error, refetch } = useOpenidConfigurationQuery(undefined, { refetchOnMountOrArgChange: true });
  return (
    <Configuration
      title={t('discovery.openidTitle')}
      lead={
        <Trans
          i18nKey="discovery.openidLead"
          values={{ path: portalPath('/.well-known/openid-configuration') }}
          components={{ code: <code /> }}
        />
      }
      document={data}
      failed={error ? <LoadFailed onRetry={refetch} /> : null}
    >
      {(document) => <Processed document={document} />}
    </Configuration>
  );
}

function Processed({ document }: { document: DiscoveryDocument }) {
  const { t } = useTranslation();
  const claims = listOf(document, 'claims_supported');
  return (
    <>
      <Identity document={document} />
      <Endpoints
        document={document}
        members={[
          'authorization_endpoint',
          'token_endpoint',
          'userinfo_endpoint',
          'end_session_endpoint',
          'check_session_iframe',
          'revocation_endpoint',
          'introspection_endpoint',
        ]}
      />
      <Section title={t('discovery.scopesAndClaims')} help={t('discovery.scopesHelp')} wide>
        <div className={cardStyles.card}>
          <ScopeFolds scopes={listOf(document, 'scopes_supported')} />
          <Fold title={t('discovery.claims')} count={claims.length}>
            <Chips values={claims} />
          </Fold>
        </div>
      </Section>
      <Values
        document={document}
        members={[
          'grant_types_supported',
          'response_types_supported',
          'response_modes_supported',
          'code_challenge_methods_supported',
          'token_endpoint_auth_methods_supported',
          'request_object_signing_alg_values_supported',
          'dpop_signing_alg_values_supported',
          'prompt_values_supported',
          'subject_types_supported',
        ]}
      />
      <Section title={t('discovery.logouts')} wide>
        <Ticks
          document={document}
          members={[
            'frontchannel_logout_supported',
            'frontchannel_logout_session_supported',
            'backchannel_logout_supported',
            'backchannel_logout_session_supported',
          ]}
        />
      </Section>
      <Section title={t('discovery.otherFeatures')} wide>
        <Ticks
          document={document}
          members={['request_parameter_supported', 'authorization_response_iss_parameter_supported']}
        />
      </Section>
    </>
  );
}
