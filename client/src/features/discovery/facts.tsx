import { CheckOutlined, CloseOutlined } from '@ant-design/icons';
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { Section } from '../../shared/ui/layout/section.js';
import { CopyButton } from '../../shared/ui/text/copy-button.js';
import { NewTabLink } from '../../shared/ui/text/new-tab-link.js';
import styles from './discovery.module.css';
import { addressOf, type DiscoveryDocument, listOf } from './discovery-document.js';

/** The labels of the members that are shown, by their names in a discovery document. */
const labels = {
  issuer: 'discovery.issuer',
  jwks_uri: 'discovery.jwksUri',
  authorization_endpoint: 'discovery.authorization',
  token_endpoint: 'discovery.token',
  userinfo_endpoint: 'discovery.userInfo',
  end_session_endpoint: 'discovery.endSession',
  check_session_iframe: 'discovery.checkSession',
  revocation_endpoint: 'discovery.revocation',
  introspection_endpoint: 'discovery.introspect',
  grant_types_supported: 'discovery.grantTypes',
  response_types_supported: 'discovery.responseTypes',
  response_modes_supported: 'discovery.responseModes',
  code_challenge_methods_supported: 'discovery.codeChallengeMethods',
  token_endpoint_auth_methods_supported: 'discovery.authMethods',
  request_object_signing_alg_values_supported: 'discovery.requestObjectAlgorithms',
  dpop_signing_alg_values_supported: 'discovery.dpopAlgorithms',
  prompt_values_supported: 'discovery.promptValues',
  subject_types_supported: 'discovery.subjectTypes',
  frontchannel_logout_supported: 'discovery.frontChannel',
  frontchannel_logout_session_supported: 'discovery.frontChannelSession',
  backchannel_logout_supported: 'discovery.backChannel',
  backchannel_logout_session_supported: 'discovery.backChannelSession',
  request_parameter_supported: 'discovery.requestParameter',
  authorization_response_iss_parameter_supported: 'discovery.issuerParameter',
  token_endpoint_auth_signing_alg_values_supported: 'discovery.signingAlgorithms',
} as const;

type Member = keyof typeof labels;

interface Shown {
  document: DiscoveryDocument;
  members: readonly Member[];
}

function Facts({
  members,
  children,
}: {
  members: readonly Member[];
  children: (member: Member, label: string) => ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <dl className={cardStyles.card}>
      {members.map((member) => (
        <div key={member} className={styles.row}>
          <dt>{t(labels[member])}</dt>
          <dd>{children(member, t(labels[member]))}</dd>
        </div>
      ))}
    </dl>
  );
}

function NotSupported() {
  const { t } = useTranslation();
  return <span className={styles.none}>{t('discovery.notSupported')}</span>;
}

/** An address that breaks before a segment of its path, if it has to. */
function Address({ children: address }: { children: string }) {
  const [origin = '', path = ''] = address.split(/(?<=^[a-z]+:\/\/[^/]*)(?=\/)/);
  return (
    <>
      {origin}
      {path.split(/(?=\/)/).map((segment, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the segments of an address have no other identity
        <Fragment key={position}>
          <wbr />
          {segment}
        </Fragment>
      ))}
    </>
  );
}

/** The issuer, and the keys to check its signatures with: addresses to follow. */
export function Identity({ document }: { document: DiscoveryDocument }) {
  const { t } = useTranslation();
  return (
    <Section title={t('discovery.identity')} help={t('discovery.identityHelp')} wide>
      <Facts members={['issuer', 'jwks_uri']}>
        {(member) => {
          const address = addressOf(document, member);
          if (!address) return <NotSupported />;
          return (
            <NewTabLink className={styles.address} href={address}>
              <Address>{address}</Address>
            </NewTabLink>
          );
        }}
      </Facts>
    </Section>
  );
}

/** Addresses to put into the settings of an app. */
export function Endpoints({ document, members }: Shown) {
  const { t } = useTranslation();
  return (
    <Section title={t('discovery.endpoints')} help={t('discovery.endpointsHelp')} wide>
      <Facts members={members}>
        {(member, label) => {
          const address = addressOf(document, member);
          if (!address) return <NotSupported />;
          return (
            <span className={styles.endpoint}>
              <code className={styles.address}>
                <Address>{address}</Address>
              </code>
              <CopyButton text={address} label={t('discovery.copyAddress', { name: label })} />
            </span>
          );
        }}
      </Facts>
    </Section>
  );
}

/** Values to choose from, for sign-ins and tokens. */
export function Values({ document, members }: Shown) {
  const { t } = useTranslation();
  return (
    <Section title={t('discovery.signInAndTokens')} wide>
      <Facts members={members}>
        {(member) => {
          const values = listOf(document, member);
          return values.length > 0 ? <Chips values={values} /> : <NotSupported />;
        }}
      </Facts>
    </Section>
  );
}

export function Chips({ values }: { values: readonly string[] }) {
  return (
    <ul className={styles.chips}>
      {[...new Set(values)].map((value) => (
        <li key={value}>
          <code>{value}</code>
        </li>
      ))}
    </ul>
  );
}

/** Supported and unsupported features. */
export function Ticks({ document, members }: Shown) {
  const { t } = useTranslation();
  return (
    <ul className={`${cardStyles.card} ${styles.ticks}`}>
      {members.map((member) =>
        document[member] === true ? (
          <li key={member}>
            <CheckOutlined className={styles.tick} aria-hidden />
            {t(labels[member])}
            <span className="visually-hidden">: {t('discovery.supported')}</span>
          </li>
        ) : (
          <li key={member} className={styles.none}>
            <CloseOutlined aria-hidden />
            {t(labels[member])}
            <span className="visually-hidden">: {t('discovery.notSupported')}</span>
          </li>
        ),
      )}
    </ul>
  );
}
