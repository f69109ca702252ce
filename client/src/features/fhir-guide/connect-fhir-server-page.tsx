import './words/en.js';
import type { ReactNode } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useServerStatus } from '../../api/dashboard.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Badge } from '../../shared/ui/marks/badge.js';
import styles from './fhir-guide.module.css';

const address = `fhir:
  baseUrl: https://fhir.hospital.internal/fhir`;
const credentials = `fhir:
  credentials:
    type: basic
    username: gatehouse
    password: …`;
const names = `fhir:
  aliases: [https://fhir.hospital.example/fhir]`;

/**
 * The steps that connect the portal with a FHIR server, and how far this portal is (docs/operations/fhir-server.md).
 */
export function ConnectFhirServerPage() {
  const { t } = useTranslation();
  return (
    <div className={styles.page}>
      <PageTitle>{t('fhirGuide.title')}</PageTitle>
      <p className={styles.lead}>{t('fhirGuide.lead')}</p>
      <State />
      <ol className={`${cardStyles.card} ${styles.steps}`}>
        <Step name="address" code={address} />
        <Step name="credentials" code={credentials} />
        <Step name="way" />
        <Step name="names" code={names} />
        <Step name="check">
          <Link className="target" to="/admin/readiness">
            {t('fhirGuide.report')}
          </Link>
        </Step>
      </ol>
    </div>
  );
}

function State() {
  const { t } = useTranslation();
  const status = useServerStatus();
  const up = status?.isFirelyServerAvailable;
  return (
    <p className={styles.state} role="status">
      {status && (
        <>
          <Badge tone={up ? 'good' : 'bad'} dot>
            {t(up ? 'fhirGuide.up' : 'fhirGuide.down')}
          </Badge>
          {status.firelyServerUrl ? <code>{status.firelyServerUrl}</code> : t('fhirGuide.noAddress')}
        </>
      )}
    </p>
  );
}

function Step({
  name,
  code,
  children,
}: {
  name: 'address' | 'credentials' | 'way' | 'names' | 'check';
  code?: string;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <li>
      <h2>{t(`fhirGuide.${name}Title`)}</h2>
      <p>
        <Trans i18nKey={`fhirGuide.${name}Text`} components={{ code: <code /> }} />
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone */}
      {code && <pre tabIndex={0}>{code}</pre>}
      {children}
    </li>
  );
}
