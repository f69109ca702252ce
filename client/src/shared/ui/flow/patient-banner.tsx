import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { PatientInContext } from '../../../../../src/contract/launch-context.js';
import { stepPages } from '../../../../../src/contract/rules/pages.js';
import { withReturnUrl } from '../../addresses/return-url.js';
import { useTellActingFor } from '../../browser/acting-now.js';
import { display } from '../../i18n/fhir-dates.js';
import { isolateName } from '../../i18n/isolate-name.js';
import { Badged } from '../marks/badged.js';
import { Monogram } from '../marks/monogram.js';
import styles from './patient-banner.module.css';
import { relationText } from './relation-text.js';
import './words/en.js';

/**
 * Names the patient whom a flow is about, below the bar. The first element of the page, so that it sticks to all of it.
 */
export function PatientBanner({
  patient,
  user,
  returnUrl,
  onChange,
}: {
  patient: PatientInContext;
  /** Name of the signed-in user. */
  user: string | undefined;
  returnUrl: string;
  /** Returns to the step of the patient; without it the link leads to its page. */
  onChange?: () => void;
}) {
  const { t } = useTranslation();
  const { name, birthDate, recordNumber, canChange, acting } = patient;
  useTellActingFor(acting ? t('acting.badge', { patient: name }) : null);
  const title = t('acting.banner', { patient: isolateName(name) });
  return (
    <section className={styles.banner} aria-label={acting ? title : t('launchContext.patient.label')}>
      <div className={styles.column}>
        {acting && user !== undefined ? (
          <ActingAvatar patient={name} user={user} size={36} />
        ) : (
          <Monogram name={name} size={36} round />
        )}
        <p className={styles.who} role={acting ? 'status' : undefined}>
          {acting ? <span className={styles.name}>{title}</span> : <bdi className={styles.name}>{name}</bdi>}
          <span className={styles.facts}>
            {acting && <span>{relationText(acting.relation, birthDate)}</span>}
            {!acting && birthDate && (
              <Fact short={display(birthDate, 'long')}>
                {t('launchContext.patient.born', { date: display(birthDate, 'long') })}
              </Fact>
            )}
            {recordNumber && recordNumber !== name && (
              <Fact short={recordNumber}>{t('launchContext.patient.record', { number: recordNumber })}</Fact>
            )}
          </span>
        </p>
        {canChange && (
          <Link
            className={styles.change}
            to={withReturnUrl(stepPages['launch-context'], returnUrl)}
            onClick={(event) => {
              if (!onChange) return;
              event.preventDefault();
              onChange();
            }}
          >
            {t(acting ? 'acting.change' : 'launchContext.patient.change')}
          </Link>
        )}
      </div>
    </section>
  );
}

/** The patient, and at the lower right corner the user who acts for the patient. */
function ActingAvatar({ patient, user, size }: { patient: string; user: string; size: number }) {
  const { t } = useTranslation();
  return (
    <span className={styles.avatar} role="img" aria-label={t('acting.avatar', { user, patient })}>
      <Badged name={user} round>
        <Monogram name={patient} size={size} round />
      </Badged>
    </span>
  );
}

/** On a phone the value is enough for the eye. */
function Fact({ short, children }: { short: string; children: string }) {
  return (
    <span>
      <span className={styles.full}>{children}</span>
      <bdi className={styles.short} aria-hidden>
        {short}
      </bdi>
    </span>
  );
}
