import { CheckOutlined, CloseOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import cardStyles from '../../shared/ui/card.module.css';
import { CopyButton } from '../../shared/ui/copy-button.js';
import { NewTabLink } from '../../shared/ui/new-tab-link.js';
import { Section } from '../../shared/ui/section.js';
import styles from './discovery.module.css';
import { addressOf, type DiscoveryDocument, listOf } from './discovery-document.js';

/** A row's label, and its name in the document. */
export interface Fact {
  label: string;
  name: string;
}

function Facts({ facts, children }: { facts: readonly Fact[]; children: (fact: Fact) => ReactNode }) {
  return (
    <dl className={cardStyles.card}>
      {facts.map((fact) => (
        <div key={fact.name} className={styles.row}>
          <dt>{fact.label}</dt>
          <dd>{children(fact)}</dd>
        </div>
      ))}
    </dl>
  );
}

function NotSupported() {
  const { t } = useTranslation();
  return <span className={styles.none}>{t('discovery.notSupported')}</span>;
}

/** The issuer, and the keys to check its signatures with: addresses to follow. */
export function Identity({ document }: { document: DiscoveryDocument }) {
  const { t } = useTranslation();
  const facts = [
    { label: t('discovery.issuer'), name: 'issuer' },
    { label: t('discovery.jwksUri'), name: 'jwks_uri' },
  ];
  return (
    <Section title={t('discovery.identity')} help={t('discovery.identityHelp')} wide>
      <Facts facts={facts}>
        {({ name }) => {
          const address = addressOf(document, name);
          if (!address) return <NotSupported />;
          return (
            <NewTabLink className={styles.address} href={address}>
              {address}
            </NewTabLink>
          );
        }}
      </Facts>
    </Section>
  );
}

/** Addresses to put into the settings of an app. */
export function Endpoints({ document, facts }: { document: DiscoveryDocument; facts: readonly Fact[] }) {
  const { t } = useTranslation();
  return (
    <Facts facts={facts}>
      {({ label, name }) => {
        const address = addressOf(document, name);
        if (!address) return <NotSupported />;
        return (
          <span className={styles.endpoint}>
            <code className={styles.address}>{address}</code>
            <CopyButton text={address} label={t('discovery.copyAddress', { name: label })} />
          </span>
        );
      }}
    </Facts>
  );
}

/** Values to choose from. */
export function Values({ document, facts }: { document: DiscoveryDocument; facts: readonly Fact[] }) {
  return (
    <Facts facts={facts}>
      {({ name }) => {
        const values = listOf(document, name);
        return values.length > 0 ? <Chips values={values} /> : <NotSupported />;
      }}
    </Facts>
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
export function Ticks({ document, facts }: { document: DiscoveryDocument; facts: readonly Fact[] }) {
  const { t } = useTranslation();
  return (
    <ul className={`${cardStyles.card} ${styles.ticks}`}>
      {facts.map(({ label, name }) =>
        document[name] === true ? (
          <li key={name}>
            <CheckOutlined className={styles.tick} aria-hidden />
            {label}
            <span className="visually-hidden">: {t('discovery.supported')}</span>
          </li>
        ) : (
          <li key={name} className={styles.none}>
            <CloseOutlined aria-hidden />
            {label}
            <span className="visually-hidden">: {t('discovery.notSupported')}</span>
          </li>
        ),
      )}
    </ul>
  );
}
